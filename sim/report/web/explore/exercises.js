// Exercises: a question, a guess before the answer shows, and what was seen. Kept in the browser; a file for the teacher.

import { element } from '../dom.js';
import * as format from '../format.js';

const seconds_in = { s: 1, ms: 1e-3, us: 1e-6 };
const unit_name = { s: 's', ms: 'ms', us: 'µs' };

/**
 * @param lesson  {title, exercises}
 * @param begin   called with the number of an exercise that is to be shown by the controls; undefined: with none
 * @return {element, guesses_first: () => whether the answer must not show yet, show: (number) => ..., answered: (seconds) => ...}
 */
export function exercises(lesson, begin) {
  const key = `finegrain lesson ${lesson.title}`;
  const kept = read_kept(key);
  let current;
  let seen_s;
  const not_kept = element('p', { id: 'not-kept', role: 'alert', class: 'error' });
  const unsaved = []; // functions that make the changes which the browser has not kept yet
  /** What all tabs of this browser keep, and what is unsaved. */
  const all_kept = () => {
    const all = read_kept(key);
    for (const change of unsaved) change(all);
    return all;
  };
  const keep = (change) => {
    unsaved.push(change);
    try {
      localStorage.setItem(key, JSON.stringify(all_kept()));
      unsaved.length = 0;
      not_kept.textContent = '';
    } catch {
      not_kept.textContent = 'This browser keeps no more: what you guessed and wrote last is lost with the page. Save the file for the teacher first.';
    }
  };
  const of = (number) => (kept.exercises[number] ??= {});
  const keep_exercise = (number) => keep((all) => (all.exercises[number] = of(number)));

  const cards = lesson.exercises.map((exercise, number) => card(exercise, number));

  function card(exercise, number) {
    const mine = of(number);
    const answer = element('div', { class: 'answer', 'aria-live': 'polite' });
    const guess = guess_control(exercise, number, mine.guess);
    const begin_button = element('button', { type: 'button' }, 'Set the controls to it again');
    const guess_button = element('button', { type: 'button' }, 'This is my guess');
    const again_button = element('button', { type: 'button' }, 'Guess again');
    const next_button = element('button', { type: 'button' }, 'Next exercise');
    const notes = element('textarea', { id: `notes-${number}`, rows: 2 });
    notes.value = mine.notes ?? '';
    notes.addEventListener('change', () => {
      mine.notes = notes.value;
      keep_exercise(number);
    });
    const show_answer = () => {
      const has_guess = mine.guess !== undefined;
      guess_button.disabled = has_guess;
      again_button.hidden = !has_guess;
      next_button.hidden = !has_guess || number + 1 === lesson.exercises.length;
      guess.lock(has_guess);
      answer.replaceChildren(...(mine.guess === undefined ? [] : answer_parts(exercise, mine)));
    };
    begin_button.addEventListener('click', () => begin(number));
    next_button.addEventListener('click', () => {
      begin(number + 1);
      choose.focus();
    });
    again_button.addEventListener('click', () => {
      mine.earlier_guesses = [...(mine.earlier_guesses ?? []), mine.guess];
      delete mine.guess;
      delete mine.simulated_s;
      keep_exercise(number);
      show_answer();
      begin(number);
      made.querySelector('input').focus();
    });
    guess.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      guess_button.click();
    });
    guess_button.addEventListener('click', () => {
      const value = guess.value();
      if (value === undefined) return guess.focus();
      mine.guess = value;
      if (current === number && seen_s !== undefined) mine.simulated_s = seen_s;
      keep_exercise(number);
      show_answer();
      if (current === number) begin(number);
      show_verdict();
    });
    const show_verdict = () => answer.scrollIntoView({ block: 'nearest' });
    const made = element(
      'article',
      { class: 'exercise', id: `exercise-${number + 1}`, 'aria-labelledby': `exercise-${number + 1}-title` },
      element('h3', { id: `exercise-${number + 1}-title` }, `${number + 1}. ${exercise.title}`),
      element('p', {}, exercise.question),
      element('div', { class: 'controls' }, begin_button),
      guess.element,
      element('div', { class: 'controls' }, guess_button, again_button),
      answer,
      element('div', { class: 'controls' }, next_button),
      element('label', { for: notes.id }, 'What I saw'),
      notes,
    );
    made.show_answer = show_answer;
    made.show_verdict = show_verdict;
    show_answer();
    return made;
  }

  /** Its card; undefined: no card. */
  function show(number) {
    current = number in cards ? Number(number) : undefined;
    seen_s = undefined;
    choose.value = current ?? '';
    cards.forEach((one, of_card) => (one.hidden = of_card !== current));
  }

  const choose = element(
    'select',
    { id: 'choose-exercise' },
    element('option', { value: '' }, 'choose one'),
    ...lesson.exercises.map(({ title }, number) => element('option', { value: number }, `${number + 1}. ${title}`)),
  );
  choose.addEventListener('change', () => begin(choose.value === '' ? undefined : Number(choose.value)));

  show();

  const name = element('input', { type: 'text', id: 'student', autocomplete: 'name' });
  name.value = kept.name ?? '';
  name.addEventListener('change', () => {
    keep((all) => (all.name = name.value));
  });
  const file = element('button', { type: 'button', id: 'export' }, 'File for the teacher');
  file.addEventListener('click', () => save_file(lesson, all_kept()));
  const again = element('button', { type: 'button' }, 'Forget my guesses');
  again.addEventListener('click', () => {
    if (!confirm('All guesses and notes of this lesson are lost. Go on?')) return;
    localStorage.removeItem(key);
    location.reload();
  });

  return {
    element: element(
      'section',
      { id: 'exercises', 'aria-labelledby': 'exercises-heading' },
      element('h2', { id: 'exercises-heading' }, `Exercises: ${lesson.title}`),
      element('div', { class: 'controls' }, element('label', { for: choose.id }, 'Exercise', choose)),
      ...cards,
      not_kept,
      element(
        'details',
        {},
        element('summary', {}, 'My guesses and notes'),
        element('p', {}, 'They stay in this browser, at this address. Save them as a file, too: another browser, and another port, do not have them.'),
        element('div', { class: 'controls' }, element('label', { for: 'student' }, 'My name', name), file, again),
      ),
    ),
    guesses_first: () => current !== undefined && of(current).guess === undefined,
    show,
    /** The exercise's own question was answered. */
    answered(seconds) {
      if (current === undefined) return;
      seen_s = seconds;
      const mine = of(current);
      if (mine.guess === undefined || mine.simulated_s !== undefined) return;
      mine.simulated_s = seconds;
      keep_exercise(current);
      cards[current].show_answer();
      cards[current].show_verdict();
    },
  };
}

/** Undefined: there is no guess, or it is of a time that was not simulated yet. */
function is_right(exercise, { guess, simulated_s }) {
  if (guess === undefined) return undefined;
  if (exercise.choices) return guess === exercise.right;
  if (simulated_s === undefined) return undefined;
  return Math.abs(guess * seconds_in[exercise.unit] - simulated_s) <= (exercise.tolerance_percent / 100) * simulated_s;
}

function guess_control(exercise, number, value) {
  if (exercise.choices) {
    const inputs = exercise.choices.map((text, choice) => {
      const input = element('input', { type: 'radio', name: `guess-${number}`, value: choice });
      input.checked = value === choice;
      input.addEventListener('change', () => inputs[0][0].setCustomValidity(''));
      return [input, element('label', {}, input, text)];
    });
    return {
      element: element('fieldset', { class: 'choices' }, element('legend', {}, 'My guess'), ...inputs.map(([, label]) => label)),
      value: () => {
        const chosen = inputs.findIndex(([input]) => input.checked);
        return chosen < 0 ? undefined : chosen;
      },
      focus: () => {
        inputs[0][0].setCustomValidity('Choose one');
        inputs[0][0].reportValidity();
      },
      lock: (locked) => inputs.forEach(([input]) => (input.disabled = locked)),
    };
  }
  const id = `guess-${number}`;
  const input = element('input', { type: 'text', inputmode: 'decimal', class: 'number', id });
  if (value !== undefined) input.value = value;
  input.addEventListener('input', () => input.setCustomValidity(''));
  return {
    element: element(
      'div',
      {},
      element('div', { class: 'controls' }, element('label', { for: id }, 'My guess', input, unit_name[exercise.unit])),
      element('p', { class: 'source' }, `A guess is right if it is within ${exercise.tolerance_percent} % of the simulated time.`),
    ),
    value: () => {
      // A comma is a decimal point to many; a field for numbers would drop it without a word.
      const number = Number(input.value.replace(',', '.'));
      return input.value.trim() !== '' && Number.isFinite(number) && number >= 0 ? number : undefined;
    },
    focus: () => {
      input.setCustomValidity('Give a number, e.g. 12.5');
      input.reportValidity();
    },
    lock: (locked) => (input.disabled = locked),
  };
}

function answer_parts(exercise, mine) {
  const parts = [];
  if (exercise.choices)
    parts.push(
      element(
        'p',
        {},
        element('strong', {}, is_right(exercise, mine) ? 'Yes. ' : `No, it is: ${exercise.choices[exercise.right]}. `),
      ),
    );
  else if (mine.simulated_s !== undefined)
    parts.push(
      element(
        'p',
        {},
        element('strong', {}, is_right(exercise, mine) ? 'Yes. ' : 'No. '),
        `Simulated: ${format.seconds(mine.simulated_s)}. Your guess: ${format.error(mine.guess * seconds_in[exercise.unit], mine.simulated_s)}. `,
        `Up to ${exercise.tolerance_percent} % is right.`,
      ),
    );
  parts.push(element('p', {}, exercise.answer));
  return parts;
}

function read_kept(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept && Array.isArray(kept.exercises)) return kept;
  } catch {
    // Nothing was kept, or not by this page.
  }
  return { exercises: [] };
}

/** What was guessed and seen, as JSON that a teacher's program reads (docs/explore.md). */
function save_file(lesson, kept) {
  const content = {
    lesson: lesson.title,
    name: kept.name ?? '',
    exercises: lesson.exercises.map((exercise, number) => {
      const mine = kept.exercises[number] ?? {};
      const { title, unit, choices } = exercise;
      const { guess, earlier_guesses, simulated_s, notes } = mine;
      return {
        title,
        right: is_right(exercise, mine) ?? null,
        ...(choices ? { choice: choices[guess] } : { unit }),
        guess,
        earlier_guesses,
        ...(choices ? {} : { simulated_s }),
        notes,
      };
    }),
  };
  const href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  element('a', { download: `${(kept.name || 'exercises').replace(/[^\p{L}\p{N}_-]+/gu, '_')}.json`, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
