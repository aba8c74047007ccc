// A question is an object of flags, as on the command line: {"--ranks": "64", "--set": ["tau=x2"], "--oversubscribe": true}.

/** Words as a shell takes them. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const words_of_flag = ([flag, value]) =>
  value === true ? [flag] : [value].flat().map((one) => `${flag} ${quoted(String(one))}`);

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

/** With another value of a flag; empty ones are left out. */
export function changed(flags, flag, value) {
  const next = { ...flags };
  delete next[flag];
  if (value !== '' && value !== false && value !== undefined && [value].flat().length > 0) next[flag] = value;
  return next;
}

/** Of --set: the factor of a number, 1 if it has none. */
export function factor_of(flags, name) {
  const factor = Number(set_of(flags, name).replace(/^x/, ''));
  return factor > 0 ? factor : 1;
}

export const with_factor = (flags, name, factor) => with_set(flags, name, factor === 1 ? '' : `x${factor}`);

/** Of --set: the value of a property, as text. */
export const set_of = (flags, name) =>
  sets_of(flags)
    .find((set) => set.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

export function with_set(flags, name, value) {
  const others = sets_of(flags).filter((set) => !set.startsWith(`${name}=`));
  return changed(flags, '--set', value === '' ? others : [...others, `${name}=${value}`]);
}

export const sets_of = (flags) => [flags['--set'] ?? []].flat().flatMap((set) => set.split(/,(?=\w+=)/));

/** In the page's address, and back. */
export const in_address = (flags) => `#${encodeURIComponent(JSON.stringify(flags))}`;
export function of_address(hash) {
  try {
    const flags = JSON.parse(decodeURIComponent(hash.slice(1)));
    return typeof flags === 'object' && flags !== null && !Array.isArray(flags) ? flags : undefined;
  } catch {
    return undefined;
  }
}
