// The page of finegrain explore: controls, the answer to what they ask, the report of it, and exercises.

import { draw_all, forget_charts } from '../chart.js';
import { element } from '../dom.js';
import { jobs_page } from '../jobs/page.js';
import { run_page } from '../run_page.js';
import { section_element } from '../section.js';
import { ask, stay_open } from './client.js';
import { controls } from './controls.js';
import { exercises } from './exercises.js';
import { command_of, in_address, know_problems, of_address, problem_of } from './question.js';
import { difference, first_seconds, short_answer, totals } from './results.js';

/** Progress of what takes less is not shown. */
const progress_ms = 300;
const most_pins = 2;

const button = (id, text, clicked) => {
  const made = element('button', { type: 'button', id }, text);
  made.addEventListener('click', clicked);
  return made;
};

export function start_exploring(data) {
  const { explore } = data;
  know_problems(
    Object.keys(explore.controls.parameters_of_problems).filter(
      (flag) => !explore.fixed.some((word) => word.startsWith(`${flag}=`)),
    ),
  );
  const title = explore.fixed.map((word) => word.split(/[=/]/).at(-1)).join(', ');
  document.title = `${title || 'finegrain'} – finegrain explore`;
  document.getElementById('title').textContent = `Explore ${title}`;
  document.getElementById('summary').textContent =
    'What would this parallel run cost on another machine, with other numbers of ranks, or if the network were better? ' +
    'Change the question: each change is simulated on this computer, and the times below are new.';
  document.getElementById('footer').append(element('p', { class: 'source' }, `Served by ${data.version}.`));

  const of_controls = element('div', { id: 'controls' });
  const status = element('p', { id: 'status', role: 'status', 'aria-live': 'polite' });
  const stop = button('stop', 'Stop', () => {
    asking?.abort();
    stop.hidden = true;
    status.textContent = 'Stopped. What is shown is of an earlier question.';
  });
  stop.hidden = true;
  const answer = element('div', { id: 'answer' });
  const warnings = element('ul', { id: 'warnings' });
  const pinned = element('div', { id: 'pinned' });
  const command = element('code', { id: 'command' });
  const report = element('div', { id: 'report' });
  const lesson = exercises(explore.lesson, begin_exercise);

  let flags = of_address(location.hash) ?? explore.flags;
  let past = [flags];
  let now; // {flags, tables} of the last answer
  let pins = [];
  let asking; // AbortController

  const undo = button('undo', 'Undo', () => {
    if (past.length < 2) return;
    past.pop();
    flags = past.at(-1);
    lesson.leave();
    build_controls();
    ask_now();
  });
  const pin = button('pin', 'Pin this question', () => {
    if (!now || lesson.guesses_first()) return;
    pins = [...pins, now].slice(-most_pins);
    show_pins();
  });
  const unpin = button('unpin', 'Remove pins', () => {
    pins = [];
    show_pins();
  });
  const copy = button('copy', 'Copy', () => navigator.clipboard?.writeText(command.textContent));

  function build_controls() {
    const focused = document.activeElement?.id;
    of_controls.replaceChildren(...controls(explore, flags, change));
    if (focused) document.getElementById(focused)?.focus();
  }

  function change(update, on_its_way = false) {
    const before = flags;
    flags = update(flags);
    if (!on_its_way && JSON.stringify(flags) !== JSON.stringify(past.at(-1))) past.push(flags);
    if (problem_of(before) !== problem_of(flags) || before['--policy'] !== flags['--policy']) build_controls();
    // Where a slider stays it was already on its way to.
    if (JSON.stringify(flags) === JSON.stringify(before)) undo.disabled = past.length < 2;
    else ask_now();
  }

  function begin_exercise(exercise) {
    flags = { ...exercise.flags };
    past.push(flags);
    build_controls();
    ask_now((tables) => lesson.answered(first_seconds(tables)));
  }

  /** @param answered  called with the tables, if this very question is answered */
  async function ask_now(answered = () => {}) {
    asking?.abort();
    const own = new AbortController();
    asking = own;
    const asked = flags;
    history.replaceState(null, '', in_address(asked));
    undo.disabled = past.length < 2;
    command.textContent = command_of(explore.fixed, asked);
    answer.classList.add('old');
    report.classList.add('old');
    let said = 'Simulating …';
    const say = () => {
      if (asking !== own) return;
      status.textContent = said;
      stop.hidden = !said.endsWith('…') && !said.includes('left');
    };
    let is_late = false;
    const late = setTimeout(() => {
      is_late = true;
      say();
    }, progress_ms);
    const progress = (text) => {
      said = text;
      if (is_late) say();
    };
    const began = performance.now();
    try {
      const { answers, warnings: lines } = await ask('compare', asked, own.signal, progress);
      const took_ms = Math.round(performance.now() - began);
      now = { flags: asked, tables: answers };
      answered(answers);
      show_answer(lines, took_ms);
      clearTimeout(late);
      const times = lesson.guesses_first() ? 'Make your guess.' : short_answer(answers);
      said = `${times} (Answered in ${took_ms} ms; drawing ranks, links and timeline …)`;
      say();
      if (!lesson.guesses_first()) {
        const details = await ask('report', asked, own.signal, () => {});
        show_report(details.answers);
      }
      said = `${times} (Answered in ${took_ms} ms.)`;
      say();
    } catch (error) {
      clearTimeout(late);
      if (own.signal.aborted) return;
      said = `${error.message}. What is shown below is of an earlier question.`.replaceAll('..', '.');
      say();
      stop.hidden = true;
      status.classList.add('error');
      return;
    }
    status.classList.remove('error');
  }

  function show_answer(lines, took_ms) {
    answer.classList.remove('old');
    status.classList.remove('error');
    answer.dataset.ms = took_ms;
    answer.tables = now.tables;
    warnings.replaceChildren(...lines.map((line) => element('li', {}, line)));
    if (lesson.guesses_first()) {
      forget_charts(report);
      report.replaceChildren();
      pinned.replaceChildren();
      answer.replaceChildren(element('p', {}, 'It is simulated. Make your guess in the exercise, and the answer shows here.'));
      return;
    }
    answer.replaceChildren(totals(now.tables));
    show_pins();
  }

  function show_pins() {
    unpin.disabled = pins.length === 0;
    if (pins.length === 0) return pinned.replaceChildren();
    const sides = [
      ...pins.map(({ tables }, number) => ({ label: 'AB'[number], tables })),
      { label: 'now', tables: now.tables },
    ];
    pinned.replaceChildren(
      element('h3', {}, 'Pinned questions and this one'),
      ...pins.map((one, number) =>
        element('p', { class: 'source' }, `${'AB'[number]}: `, element('code', {}, command_of(explore.fixed, one.flags))),
      ),
      difference(sides),
    );
  }

  function show_report(shown) {
    const page = shown.jobs ? jobs_page : run_page;
    shown.version = data.version;
    forget_charts(report);
    report.classList.remove('old');
    const contents = document.getElementById('contents');
    contents.replaceChildren(...first_links());
    const sections = page.sections.flatMap((section) => section(shown) ?? []).filter(({ id }) => id !== 'equations');
    report.replaceChildren(...sections.map(section_element));
    contents.append(...sections.map(({ id, heading }) => link_to(id, heading)));
    document.getElementById('notes').replaceChildren(...page.notes(shown).map((note) => element('li', {}, note)));
    draw_all();
    performance.mark('reported');
  }

  const link_to = (id, heading) => {
    const link = element('a', { href: `#${id}` }, heading);
    link.addEventListener('click', (event) => {
      event.preventDefault(); // the address holds the question
      document.getElementById(id).scrollIntoView();
    });
    return element('li', {}, link);
  };
  const first_links = () => [
    link_to('exercises', 'Exercises'),
    link_to('question', 'Question'),
    link_to('now', 'Answer'),
  ];

  document.getElementById('contents').replaceChildren(...first_links());
  document.getElementById('content').append(
    element('div', { id: 'bar' }, status, stop),
    lesson.element,
    element(
      'section',
      { id: 'question', 'aria-labelledby': 'question-heading' },
      element('h2', { id: 'question-heading' }, 'Question'),
      of_controls,
      element('div', { class: 'controls' }, undo, button('reset', 'Back to the first question', () => {
        lesson.leave();
        flags = explore.flags;
        past.push(flags);
        build_controls();
        ask_now();
      }), pin, unpin),
    ),
    element(
      'section',
      { id: 'now', 'aria-labelledby': 'now-heading' },
      element('h2', { id: 'now-heading' }, 'Answer'),
      warnings,
      answer,
      pinned,
      element('p', {}, 'The same on the command line: ', command, ' ', copy),
    ),
    report,
  );
  window.addEventListener('hashchange', () => {
    const asked = of_address(location.hash);
    if (!asked) return;
    flags = asked;
    past.push(flags);
    build_controls();
    ask_now();
  });
  stay_open((lost) => {
    if (!lost) return;
    status.textContent = 'finegrain explore has ended. Start it again to go on.';
    status.classList.add('error');
  });
  build_controls();
  show_pins();
  if (explore.asks_something || location.hash) ask_now();
  else status.textContent = 'Choose an exercise, or start finegrain explore with what should run.';
}
