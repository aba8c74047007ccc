// What was answered: totals, and the phases of two questions side by side.

import { details, element, table } from '../dom.js';
import * as format from '../format.js';

const is_known = (value) => value !== null && value !== undefined;

function cell({ unit }, value) {
  if (!is_known(value)) return '–';
  if (typeof value !== 'number') return String(value);
  return unit === '1' && !Number.isInteger(value) ? value.toPrecision(3) : format.quantity(unit, value);
}

/** The first table of compare. @param tables  as it prints them in JSON */
export const totals = ([first]) => shown(first);

/** Times with noise, where they were asked for. */
export const noise_of = (tables) => tables.filter(({ name }) => name === 'noise').map(shown);

function shown(one) {
  const columns = one.columns.filter(({ name }) => one.rows.some((row) => is_known(row[name])));
  const texts = columns.filter(({ unit }) => unit === undefined).length;
  // Where the interval comes from is said at once, and in the words of this table.
  const is_of_interval = (note) => note.startsWith('in brackets: ');
  const [of_interval, others] = [true, false].map((is) => (one.notes ?? []).filter((note) => is_of_interval(note) === is));
  return element(
    'div',
    {},
    table(
      one.title,
      columns.map(({ heading }) => heading),
      one.rows.map((row) => columns.map((column) => cell(column, row[column.name]))),
      Math.max(1, texts),
    ),
    ...of_interval.map((note) => element('p', { class: 'source interval' }, note.replace('in brackets', 'From low to high'))),
    meanings(columns, others),
  );
}

/** What the words above a table's columns mean, and what has to be said of it. */
function meanings(columns, notes) {
  const terms = columns.flatMap(({ heading, help }) => (help ? [element('dt', {}, heading), element('dd', {}, help)] : []));
  const said = notes.map((note) => element('li', {}, note));
  return details('What these words and numbers mean', ...(terms.length > 0 ? [element('dl', {}, ...terms)] : []), ...(said.length > 0 ? [element('ul', {}, ...said)] : []));
}

/** Seconds of one iteration of the run and platform that are drawn; of a table without a page, of its first row. */
export function first_seconds(tables) {
  const page = tables[0].page;
  if (!page) return tables[0].rows[0].simulated_s ?? tables[0].rows[0].together_s;
  return focus_of(page).simulated_s;
}

const focus_of = (page) =>
  page.answers.find((answer) => answer.run === page.focus && answer.platform === page.focus_platform) ?? page.answers[0];

/** Totals in one line: "abel: 309 ms, ethernet_10g: 388 ms". */
export function short_answer([table]) {
  const key = ['simulated_s', 'together_s'].find((name) => table.columns.some((column) => column.name === name));
  const shown = table.rows.filter((row) => is_known(row[key]));
  const most = 4;
  const names_ranks = new Set(shown.map((row) => row.ranks)).size > 1;
  const of_row = (row) => `${row.platform ?? row.job}${names_ranks ? ` on ${row.ranks}` : ''}: ${format.seconds(row[key])}`;
  return `Simulated: ${shown.slice(0, most).map(of_row).join(', ')}${shown.length > most ? ', …' : '.'}`.replace(/…$/, 'and others.');
}

const name_of = (page) => `${page.platforms[page.focus_platform].name}, ${format.counted(page.runs[page.focus].ranks, 'rank')}`;

/** Phases of several questions, and how they differ from those of the first. @param sides  [{label, tables, differs}], where `differs`
 *  says what the question has otherwise than the first */
export function difference(sides) {
  const pages = sides.map(({ tables }) => tables[0].page);
  if (pages.some((page) => !page)) return element('p', {}, 'Jobs that share a machine have no phases to compare.');
  const answers = pages.map(focus_of);
  const phases = [...new Set(answers.flatMap((answer) => answer.phases.map(({ name }) => name)))];
  const of_phase = (answer, name) => answer.phases.find((phase) => phase.name === name)?.simulated_s.mean;
  const row_of = (name, value_of) => {
    const [first, ...others] = answers.map(value_of);
    return [
      name,
      format.or(format.seconds, first),
      ...others.flatMap((other) => [format.or(format.seconds, other), signed_difference(first, other)]),
    ];
  };
  return table(
    `Simulated, of one iteration. ${sides.map(({ label, differs }, number) => `${label}: ${[name_of(pages[number]), ...(differs ? [differs] : [])].join(', ')}`).join('; ')}`,
    ['', sides[0].label, ...sides.slice(1).flatMap(({ label }) => [label, `${label} − ${sides[0].label}`])],
    [
      row_of('total (slowest rank)', (answer) => answer.simulated_s),
      ...phases.filter((name) => answers.some((answer) => of_phase(answer, name) > 0)).map((name) => row_of(`${name} (mean of ranks)`, (answer) => of_phase(answer, name))),
    ],
    1,
  );
}

/** "+1.2 µs (+4.2 %)" */
function signed_difference(first = 0, other = 0) {
  const difference_s = other - first;
  const sign = difference_s < 0 ? '−' : '+';
  const relative = first > 0 ? ` (${format.error(other, first)})` : '';
  return difference_s === 0 ? '0 s' : `${sign}${format.seconds(Math.abs(difference_s))}${relative}`;
}
