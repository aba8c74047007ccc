// The page of finegrain explore: controls, the answer to what they ask, the report of it, and exercises.

import { draw_seen, forget_charts } from '../chart.js';
import { element } from '../dom.js';
import { jobs_page } from '../jobs/page.js';
import { run_page } from '../run_page.js';
import { section_element } from '../section.js';
import { ask, stay_open } from './client.js';
import { controls } from './controls.js';
import { exercises } from './exercises.js';
import { coarse_of, command_of, in_address, key_of, know_problems, moved_further, of_address, otherwise, problem_of, without_noise } from './question.js';
import { difference, first_seconds, noise_of, short_answer, totals } from './results.js';

/** If answers take longer, a coarse one comes first. */
const coarse_ms = 30;
/** So long nobody has changed anything, before the address holds the question, which takes a browser 10 ms, and before the report is simulated, which
 *  a slider that is moved on would give up. */
const rest_ms = 100;
/** Progress of what takes less is not shown. */
const progress_ms = 300;
/** Nor is that of ranks, links and timeline, which come after each answer. */
const details_progress_ms = 1000;
/** What is answered sooner does not turn grey before. */
const grey_ms = 150;
/** What the user may ask next is simulated ahead only where that took less. */
const most_ahead_ms = 5000;
/** So long a frame is waited for, which a tab in the background never paints. */
const longest_frame_ms = 50;
const most_pins = 2;
/** What decides which controls there are, and what they say. */
const shape_flags = ['--policy', '--platform', '--noise'];

const button = (id, text, clicked) => {
  const made = element('button', { type: 'button', id }, text);
  made.addEventListener('click', clicked);
  return made;
};

/** Where the page comes from another computer, a browser copies only what is selected. */
function copy_text(shown) {
  if (navigator.clipboard) return navigator.clipboard.writeText(shown.textContent);
  getSelection().selectAllChildren(shown);
  document.execCommand('copy');
}

/** A tab in the background asks for no report, which it would not draw. */
const until_visible = () =>
  new Promise((visible) => {
    const look = () => {
      if (document.visibilityState === 'hidden') return;
      document.removeEventListener('visibilitychange', look);
      visible();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });

const wait = (ms) => new Promise((over) => setTimeout(over, ms));

/** What is on the page now can be seen, unless the tab is in the background. */
const painted = () => Promise.race([new Promise((seen) => requestAnimationFrame(() => setTimeout(seen))), wait(longest_frame_ms)]);

const follows = 'The answer follows.'; // the coarse one

export function start_exploring(data) {
  const { explore } = data;
  know_problems(
    Object.keys(explore.controls.parameters_of_problems).filter(
      (flag) => !explore.fixed.some((word) => word.startsWith(`${flag}=`)),
    ),
  );
  const title = explore.fixed.map((word) => word.split(/[=/]/).at(-1)).join(', ');
  document.body.classList.add('explore');
  document.title = `${title || 'finegrain'} – finegrain explore`;
  document.getElementById('title').textContent = `Explore ${title}`;
  document.getElementById('summary').textContent =
    'What would this parallel run cost on another machine, on more ranks, or with a better network? Each change is simulated at once.';
  document.getElementById('footer').append(element('p', { class: 'source' }, `Served by ${data.version}.`));

  const of_controls = element('div', { id: 'controls' });
  const status = element('p', { id: 'status', role: 'status', 'aria-live': 'polite' });
  const stop = button('stop', 'Stop', () => {
    asking?.abort();
    status.textContent = `Stopped. ${give_up()}`;
  });
  stop.hidden = true;
  const answer = element('div', { id: 'answer' });
  const warnings = element('ul', { id: 'warnings' });
  const pinned = element('div', { id: 'pinned' });
  const command = element('code', { id: 'command' });
  const same_command = element('p', {}, 'The same on the command line: ', command, ' ');
  const about_digits = element('p', { class: 'source' }, 'It prints the same numbers, rounded, in seconds; with --format json all of their digits.');
  const report = element('div', { id: 'report' });
  const of_question = [warnings, answer, pinned, same_command, report]; // grey until they are of the present question
  const outdated = new Map(); // those that are of an earlier one, and the timers after which they turn grey
  const turn_grey = (part) => part.classList.add('old');
  const is_outdated = (part) => {
    if (!outdated.has(part)) outdated.set(part, setTimeout(() => turn_grey(part), grey_ms));
  };
  const is_present = (part) => {
    clearTimeout(outdated.get(part));
    outdated.delete(part);
    part.classList.remove('old');
  };
  const links_of_run = element('datalist', { id: 'links-of-run' });
  const workbench = element('div', { id: 'workbench' });
  const lesson = exercises(explore.lesson, (number) => {
    const exercise = explore.lesson.exercises[number];
    const pins = number === state.exercise ? state.pins : []; // they are of the exercise before
    show({ flags: exercise ? exercise.flags : state.flags, pins, exercise: number });
  });

  const first = { flags: explore.flags, pins: [], exercise: undefined };
  let state = of_address(location.hash) ?? first;
  let past = [state]; // what undo goes back to; the last is the present one
  let now; // {flags, tables} of the last answer
  let asking; // AbortController
  let addressing; // the timer after which the address is of the present state
  let took_ms = 0; // the last answer
  let simulated_ms = 0; // the last one that was simulated, without the coarse one before it
  const asked_before = new Set(); // their answers are probably kept, and come at once
  const answered_pins = new Map(); // the tables of pinned questions
  let came_from; // the question before a control was changed to the present one
  let ahead; // {key, answer, asking, progress}: what is simulated ahead

  const undo = button('undo', 'Undo', () => {
    if (past.length < 2) return;
    past.pop();
    show(past.at(-1));
  });
  const pin = button('pin', 'Pin this question', () => {
    answered_pins.set(key_of(now.flags), now.tables);
    set_pins([...state.pins, now.flags].slice(-most_pins));
  });
  const unpin = button('unpin', 'Remove pins', () => set_pins([]));
  function set_pins(pins) {
    go_to({ ...state, pins });
    show_pins();
  }
  same_command.append(button('copy', 'Copy', () => copy_text(command)));

  function build_controls() {
    const focused = document.activeElement?.id;
    of_controls.replaceChildren(...controls(explore, state.flags, change));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** The page's state is another one. @param on_its_way  to one that undo should go back to */
  function go_to(next, on_its_way = false) {
    state = next;
    if (!on_its_way && key_of(state) !== key_of(past.at(-1))) past.push(state);
    undo.disabled = past.length < 2;
    unpin.disabled = state.pins.length === 0;
    clearTimeout(addressing);
    addressing = setTimeout(() => history.replaceState(null, '', in_address(state)), rest_ms);
  }

  /** Another state, all of it. */
  function show(next) {
    came_from = undefined;
    go_to(next);
    lesson.show(state.exercise);
    workbench.classList.toggle('with-exercise', state.exercise in explore.lesson.exercises);
    build_controls();
    const is_exercise = key_of(state.flags) === key_of(explore.lesson.exercises[state.exercise]?.flags);
    ask_now(is_exercise ? (tables) => lesson.answered(first_seconds(tables)) : undefined);
  }

  function change(update, on_its_way = false) {
    const before = state.flags;
    const flags = update(before);
    if (key_of(flags) !== key_of(before)) came_from = before;
    go_to({ ...state, flags }, on_its_way);
    if (problem_of(before) !== problem_of(flags) || shape_flags.some((flag) => String(before[flag]) !== String(flags[flag]))) build_controls();
    // Where a slider stays it was already on its way to.
    if (key_of(flags) !== key_of(before)) ask_now();
  }

  /** @param answered  called with the tables, if this very question is answered */
  async function ask_now(answered = () => {}) {
    const begun = take_ahead();
    if (asking !== begun?.asking) asking?.abort();
    const own = begun?.asking ?? new AbortController();
    asking = own;
    if (status.classList.contains('error')) status.textContent = 'Simulating …'; // it was about an earlier question
    status.classList.remove('error');
    const asked = state.flags;
    command.textContent = command_of(explore.fixed, asked);
    of_question.forEach(is_outdated);
    pin.disabled = true;
    let said = 'Simulating …';
    let is_late;
    let late; // the timer after which it is
    const say = () => {
      if (own.signal.aborted) return;
      status.textContent = said;
      stop.hidden = !is_late;
    };
    const be_late_after = (ms) => {
      clearTimeout(late);
      is_late = false;
      late = setTimeout(() => {
        is_late = true;
        say();
      }, ms);
    };
    const finish = () => {
      clearTimeout(late);
      is_late = false;
    };
    const progress = (text) => {
      if (text) said = text;
      if (is_late) say();
    };
    be_late_after(progress_ms);
    const began = performance.now();
    const is_recorded = !problem_of(asked) && explore.fixed.some((word) => /^--(trace|job)=/.test(word));
    const is_kept = begun !== undefined || asked_before.has(key_of(asked));
    const coarse = !is_kept && (simulated_ms > coarse_ms || asked['--noise']) ? coarse_of(asked, is_recorded) : undefined;
    try {
      if (begun) begun.progress = progress;
      let whole_began = began;
      const first_look = coarse && !lesson.guesses_first() && {
        flags: coarse.flags,
        show: (tables) => {
          whole_began = performance.now();
          show_coarse(tables, coarse);
          answer.dataset.coarse_ms = Math.round(whole_began - began);
        },
      };
      const { answers, warnings: lines } = (await begun?.answer) ?? (await ask('compare', asked, own.signal, progress, first_look || undefined));
      own.signal.throwIfAborted();
      took_ms = Math.round(performance.now() - began);
      if (!is_kept) simulated_ms = performance.now() - whole_began;
      asked_before.add(key_of(asked));
      now = { flags: asked, tables: answers };
      answered(answers);
      show_answer(lines);
      be_late_after(details_progress_ms);
      const times = lesson.guesses_first() ? 'Make your guess.' : short_answer(answers);
      const details = (text) => progress(`${times} (Answered in ${took_ms} ms; ranks, links and timeline: ${text})`);
      said = `${times} (Answered in ${took_ms} ms; drawing ranks, links and timeline …)`;
      say();
      if (!lesson.guesses_first()) {
        await until_visible();
        await painted();
        await wait(rest_ms);
        own.signal.throwIfAborted();
        const { answers: shown } = await ask('report', without_noise(asked), own.signal, (text) => text && details(text));
        show_report(shown);
      }
      await answer_pins(own.signal, progress);
      finish();
      said = `${times} (Answered in ${took_ms} ms.)`;
      say();
      look_ahead();
    } catch (error) {
      finish();
      if (own.signal.aborted) return;
      said = `${error.message.replace(/\.$/, '')}. ${give_up()}`;
      say();
      status.classList.add('error');
    }
  }

  /** Who has moved a slider often moves it on: what it would ask then is simulated while nobody asks. */
  function look_ahead() {
    const flags = came_from && moved_further(came_from, state.flags);
    if (!explore.is_alone || !flags || took_ms > most_ahead_ms || flags['--noise'] || asked_before.has(key_of(flags))) return;
    asking = new AbortController();
    ahead = { key: key_of(flags), asking };
    const own = ahead;
    ahead.answer = ask('compare', flags, asking.signal, (text) => own.progress?.(text)).catch(() => undefined);
  }

  /** What was simulated ahead, if it is the present question. It is so once. */
  function take_ahead() {
    const taken = ahead?.key === key_of(state.flags) ? ahead : undefined;
    ahead = undefined;
    return taken;
  }

  /** The present question is given up. @return what is shown instead, to be told */
  function give_up() {
    stop.hidden = true;
    outdated.forEach((timer, part) => turn_grey(part));
    const coarse = document.getElementById('coarse');
    if (coarse) coarse.textContent = coarse.textContent.replace(follows, 'The answer was not simulated.');
    if (outdated.has(answer)) return 'What is shown below is of an earlier question.';
    if (coarse) return 'Only the first look is of this question.';
    return outdated.has(report) ? 'What is grey is of an earlier question.' : 'A pinned question has no answer.';
  }

  /** Before the answer is there. */
  function show_coarse(tables, coarse) {
    is_present(answer);
    answer.replaceChildren(element('p', { id: 'coarse' }, `A first look: ${coarse.said}. ${follows}`), totals(tables));
  }

  function show_answer(lines) {
    for (const part of of_question) if (part !== report) is_present(part);
    pin.disabled = lesson.guesses_first();
    status.classList.remove('error');
    answer.dataset.ms = took_ms;
    answer.tables = now.tables;
    warnings.replaceChildren(...lines.map((line) => element('li', {}, line)));
    if (lesson.guesses_first()) {
      forget_charts(report);
      report.replaceChildren();
      pinned.replaceChildren();
      document.getElementById('contents').replaceChildren(...first_links());
      document.getElementById('notes').replaceChildren(); // those of the question before
      answer.replaceChildren(element('p', {}, 'It is simulated. Make your guess in the exercise, and the answer shows here.'));
      return;
    }
    answer.replaceChildren(totals(now.tables), ...noise_of(now.tables));
    show_pins();
  }

  /** Pins of the address, whose answers the page does not have. */
  async function answer_pins(signal, progress) {
    for (const flags of state.pins)
      if (!answered_pins.has(key_of(flags))) {
        const { answers } = await ask('compare', flags, signal, progress);
        answered_pins.set(key_of(flags), answers);
        if (!lesson.guesses_first()) show_pins();
      }
  }

  function show_pins() {
    const pins = state.pins.map((flags) => ({ flags, tables: answered_pins.get(key_of(flags)) }));
    if (pins.length === 0 || !now || pins.some(({ tables }) => !tables)) return pinned.replaceChildren();
    const differs_of = (flags) => otherwise(flags, pins[0].flags) || 'the same question as A';
    const sides = [
      ...pins.map(({ flags, tables }, number) => ({ label: 'AB'[number], tables, differs: number > 0 && differs_of(flags) })),
      { label: 'now', tables: now.tables, differs: differs_of(now.flags) },
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
    is_present(report);
    const contents = document.getElementById('contents');
    contents.replaceChildren(...first_links());
    const sections = page.sections.flatMap((section) => section(shown) ?? []).filter(({ id }) => id !== 'equations');
    report.replaceChildren(...sections.map(section_element));
    contents.append(...sections.map(({ id, heading }) => link_to(id, heading)));
    document.getElementById('notes').replaceChildren(...page.notes(shown).map((note) => element('li', {}, note)));
    const links = (shown.links?.links ?? []).map(({ name }) => element('option', { value: name }));
    links_of_run.replaceChildren(...links);
    draw_seen();
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
  workbench.append(
    lesson.element,
    element(
      'section',
      { id: 'question', 'aria-labelledby': 'question-heading' },
      element('h2', { id: 'question-heading' }, 'Question'),
      of_controls,
      links_of_run,
      element('div', { class: 'controls' }, undo, button('reset', 'Back to the first question', () => {
        show(first);
      }), pin, unpin),
    ),
    element(
      'section',
      { id: 'now', 'aria-labelledby': 'now-heading' },
      element('h2', { id: 'now-heading' }, 'Answer'),
      warnings,
      answer,
      pinned,
      same_command,
      about_digits,
    ),
  );
  document.getElementById('content').append(
    element('div', { id: 'bar' }, status, stop),
    workbench,
    report,
  );
  window.addEventListener('hashchange', () => {
    const asked = of_address(location.hash);
    if (!asked) return;
    show(asked);
  });
  const ended = 'finegrain explore has ended. Start it again to go on.';
  let replaced; // what the status said before, and whether it is an error
  stay_open((is_lost) => {
    if (is_lost === (status.textContent === ended)) return;
    if (is_lost) replaced = [status.textContent, status.classList.contains('error')];
    const [text, is_error] = is_lost ? [ended, true] : replaced;
    status.textContent = text;
    status.classList.toggle('error', is_error);
  });
  undo.disabled = true;
  pin.disabled = true;
  unpin.disabled = state.pins.length === 0;
  if (explore.asks_something || state !== first) return show(state);
  build_controls();
  status.textContent = 'Choose an exercise, or start finegrain explore with what should run.';
}
