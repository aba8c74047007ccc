// Numbers with units, three significant digits, as people read them.

function scaled(value, steps) {
  const step = steps.find(([size]) => Math.abs(value) >= size) ?? steps[steps.length - 1];
  return `${Number((value / step[0]).toPrecision(3)).toLocaleString('en')} ${step[1]}`;
}

/** Where the messages of the run that is drawn were counted. */
export function counted_in(data) {
  const run = data.runs[data.focus];
  const where = `${counted(run.ranks, 'rank')}, ${count(run.ranks_per_node)} a node`;
  return data.is_program
    ? `Counted in the trace of ${run.name}, ${where}; collective operations as the MPI library of ${data.platforms[data.focus_platform].name} carries them out`
    : `Counted in the schedule of ${run.name} on ${where}`;
}

export const first_iterations = (count) => (count === 1 ? 'the first iteration' : `the first ${count} iterations`);

/** ", the first 2 iterations": those of the timeline, links and critical path; jobs and recorded programs have no number of them. */
export const drawn_iterations = (data) =>
  data.is_program || !data.timeline?.iterations ? '' : `, ${first_iterations(data.timeline.iterations)}`;

/** What all times are of. */
export const whole = (data) => (data.is_program ? 'the whole program' : 'one iteration');

export const seconds = (value) =>
  value === 0
    ? '0 s'
    : scaled(value, [
        [1, 's'],
        [1e-3, 'ms'],
        [1e-6, 'µs'],
        [1e-9, 'ns'],
      ]);

export const joules = (value) =>
  value === 0
    ? '0 J'
    : scaled(value, [
        [1e6, 'MJ'],
        [1e3, 'kJ'],
        [1, 'J'],
        [1e-3, 'mJ'],
        [1e-6, 'µJ'],
      ]);

export const bytes = (value) =>
  value === 0
    ? '0 B'
    : scaled(value, [
        [1e12, 'TB'],
        [1e9, 'GB'],
        [1e6, 'MB'],
        [1e3, 'kB'],
        [1, 'B'],
      ]);

export const bandwidth = (value) =>
  value === 0
    ? '0 B/s'
    : scaled(value, [
        [1e12, 'TB/s'],
        [1e9, 'GB/s'],
        [1e6, 'MB/s'],
        [1e3, 'kB/s'],
        [1, 'B/s'],
      ]);

export const node_hours = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** How many times longer or larger: "1.158". */
export const ratio = (value) => value.toFixed(3);

export const count = (value) => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** "1 rank", "2 ranks". */
export const counted = (value, one) => `${count(value)} ${one}${value === 1 ? '' : 's'}`;

/** A long name without its middle, because names that are alike differ at their ends. @param most  characters */
export const shortened = (text, most) =>
  text.length <= most ? text : `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(1 - Math.floor(most / 2))}`;

/** Signed, against what it is compared with: "+4.2 %". */
export function error(value, reference) {
  if (value === undefined || !reference) return '–';
  const percent = (100 * (value - reference)) / reference;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

/** "–" for what there is none of. */
export const or = (format, value) => (value === undefined || value === null ? '–' : format(value));

const of_unit = { s: seconds, J: joules, B: bytes, 1: count };

/** A number in the unit of its column. */
export const quantity = (unit, value) =>
  or(of_unit[unit] ?? ((it) => `${Number(it.toPrecision(3)).toLocaleString('en')} ${unit}`), value);

export const escaped = (text) =>
  String(text).replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character],
  );
