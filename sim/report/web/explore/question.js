// A question is an object of flags, as on the command line: {"--ranks": "64", "--set": ["tau=x2"], "--oversubscribe": true}.

/** Words as a shell takes them. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const words_of_flag = ([flag, value]) =>
  value === true ? [flag] : [value].flat().map((one) => `${flag} ${quoted(String(one))}`);

/** What a word of words_of_flag() is a value of: "--ranks", or "--set tau". */
const flag_of_word = (word) => word.match(/^--set [^=]+|^\S+/)[0];

/** The command that prints the same numbers. @param fixed  words of every question, "--matrix=heart.fgm" */
export function command_of(fixed, flags) {
  const asks_for_fixed = !Object.keys(flags).some((flag) => problem_flag.test(flag));
  const named = asks_for_fixed ? fixed.map((word) => word.split(/=(.*)/s).slice(0, 2)) : [];
  return ['finegrain compare', ...[...named, ...Object.entries(flags)].flatMap(words_of_flag)].join(' ');
}

let problem_flag = /^$/;

/** @param flags  that say what runs, and name no file */
export function know_problems(flags) {
  problem_flag = new RegExp(`^(${flags.join('|')})$`);
}

export const problem_of = (flags) => Object.keys(flags).find((flag) => problem_flag.test(flag));

/** Without what a report does not show: noise. */
export const without_noise = (flags) =>
  Object.fromEntries(Object.entries(flags).filter(([flag]) => !noise_flags.includes(flag)));
const noise_flags = ['--noise', '--noise-runs', '--seed'];

/**
 * A question whose answer comes sooner and says less: of two iterations, without noise, of the most ranks on the first platform.
 * @param is_recorded  what ran, and how often, is given
 * @return {flags, said: what it is of}; undefined: there is none
 */
export function coarse_of(flags, is_recorded) {
  const coarse = without_noise(flags);
  const said = [];
  const take = (flag, value, text) => {
    coarse[flag] = value;
    said.push(text);
  };
  const ranks = String(flags['--ranks'] ?? '').split(',');
  if (ranks.length > 1 && ranks.every((one) => /^\d+$/.test(one))) take('--ranks', String(Math.max(...ranks)), `${Math.max(...ranks)} ranks`);
  const platforms = [flags['--platform'] ?? []].flat();
  if (platforms.length > 1) take('--platform', platforms[0], platforms[0]);
  if (!is_recorded && Number(flags['--iterations'] ?? 1000) > 2) take('--iterations', '2', '2 iterations');
  if (flags['--noise']) said.push('without noise');
  return said.length > 0 ? { flags: coarse, said: said.join(', ') } : undefined;
}

/** With another value of a flag; empty ones are left out. */
export function changed(flags, flag, value) {
  const next = { ...flags };
  delete next[flag];
  if (value !== '' && value !== false && value !== undefined && [value].flat().length > 0) next[flag] = value;
  return next;
}

/** In --set: the factor of a number, 1 if it has none. */
export function factor_of(flags, name) {
  const factor = Number(set_of(flags, name).replace(/^x/, ''));
  return factor > 0 ? factor : 1;
}

export const with_factor = (flags, name, factor) => with_set(flags, name, factor === 1 ? '' : `x${factor}`);

/** A slider goes so many powers of two to each side. */
export const most_powers = 5;

/**
 * The question after a slider was moved once more, as far as it was moved last.
 * @param before  the question before it was moved. @return undefined: there is none
 */
export function moved_further(before, flags) {
  const names = [...new Set([before, flags].flatMap(sets_of).map((set) => set.split('=')[0]))];
  const moved = names.filter((name) => set_of(before, name) !== set_of(flags, name));
  const is_factor = (name) => !name.startsWith('link:') && [before, flags].every((one) => /^(x|$)/.test(set_of(one, name)));
  if (moved.length !== 1 || !is_factor(moved[0]) || key_of(with_set(before, moved[0], '')) !== key_of(with_set(flags, moved[0], ''))) return undefined;
  const next = factor_of(flags, moved[0]) ** 2 / factor_of(before, moved[0]);
  return Math.abs(Math.log2(next)) <= most_powers ? with_factor(flags, moved[0], next) : undefined;
}

/** Equal for equal questions, and states. */
export const key_of = (value) => JSON.stringify(value);

/** In --set: the value of a property, as text. */
export const set_of = (flags, name) =>
  sets_of(flags)
    .find((set) => set.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

export function with_set(flags, name, value) {
  const others = sets_of(flags).filter((set) => !set.startsWith(`${name}=`));
  return changed(flags, '--set', value === '' ? others : [...others, `${name}=${value}`]);
}

/** In --set: one each. What is said of one link stays together. */
export const sets_of = (flags) =>
  [flags['--set'] ?? []].flat().flatMap((set) => (set.startsWith('link:') ? [set] : set.split(/,(?=\w+=)/)));

const slower_link = /^link:(\S+) bandwidth=x([\d.]+)$/;

/** In --set: the link that has only a part of its bandwidth. @return [name, factor]; undefined: none has */
export function slower_link_of(flags) {
  const [, name, factor] = sets_of(flags).map((set) => set.match(slower_link)).find(Boolean) ?? [];
  return name && [name, Number(factor)];
}

/** @param name  empty: no link is slower */
export function with_slower_link(flags, name, factor) {
  const others = sets_of(flags).filter((set) => !slower_link.test(set));
  return changed(flags, '--set', name === '' ? others : [...others, `link:${name} bandwidth=x${factor}`]);
}

/** In a flag whose values are "name=value": the value. */
export const listed = (flags, flag, name) =>
  [flags[flag] ?? []]
    .flat()
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

export function with_listed(flags, flag, name, value) {
  const others = [flags[flag] ?? []].flat().filter((one) => !one.startsWith(`${name}=`));
  return changed(flags, flag, value === '' ? others : [...others, `${name}=${value}`]);
}

/** In words, what a question has otherwise than another one: "with --ranks 32, without --set tau=x2". Empty: nothing. */
export function otherwise(flags, than) {
  const [own, other] = [flags, than].map((all) => Object.entries({ ...all, '--set': sets_of(all) }).flatMap(words_of_flag));
  const only_in = (words, others) => words.filter((word) => !others.includes(word));
  const more = only_in(own, other);
  const changed_flags = more.map(flag_of_word);
  const less = only_in(other, own).filter((word) => !changed_flags.includes(flag_of_word(word)));
  return [...more.map((word) => `with ${word}`), ...less.map((word) => `without ${word}`)].join(', ');
}

const is_object = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * In the page's address, and back.
 * @param state  {flags, pins: [flags], exercise: number or undefined}
 */
export const in_address = (state) => `#${encodeURIComponent(JSON.stringify(state))}`;
export function of_address(hash) {
  try {
    const { flags, pins = [], exercise } = JSON.parse(decodeURIComponent(hash.slice(1)));
    if (is_object(flags) && Array.isArray(pins) && pins.every(is_object)) return { flags, pins, exercise };
  } catch {
    // Somebody changed it: the page begins anew.
  }
  return undefined;
}
