// What a question has, as controls. Each change is told with the new question.

import { element } from '../dom.js';
import * as format from '../format.js';
import {
  changed,
  factor_of,
  listed,
  most_powers,
  problem_of,
  set_of,
  sets_of,
  slower_link_of,
  with_factor,
  with_listed,
  with_set,
  with_slower_link,
} from './question.js';

/** Numbers of a platform that have a slider: a factor of what its file says. */
const numbers = [
  ['link_bandwidth', 'bandwidth of links', format.bandwidth],
  ['link_latency', 'latency of links', format.seconds],
  ['message_overhead', 'time to start a message', format.seconds],
  ['memory_bandwidth', 'memory bandwidth of a node', format.bandwidth],
  ['memory_bandwidth_per_core', 'memory bandwidth of a core', format.bandwidth],
  ['tau', 'closed form: τ, a remote access', format.seconds],
  ['remote_bandwidth', 'closed form: W_remote, between nodes', format.bandwidth],
];
/** Where a platform's file does not say them, they are derived from the network's, and cannot be scaled. */
const of_closed_form = { tau: 'τ (the time that a remote access takes)', remote_bandwidth: 'W_remote (bytes/s between nodes)' };

/** Those of the platforms whose files give the number. */
const giving = (platforms, of_platforms, name) => platforms.filter((platform) => of_platforms[platform]?.[name] !== undefined);

/** Which sliders of the network move the closed form, and which do not. */
function about_closed_form(platforms, of_platforms) {
  const names_of = new Map(); // the numbers that the same platforms give
  for (const [name, what] of Object.entries(of_closed_form)) {
    const own = giving(platforms, of_platforms, name).join(', ');
    names_of.set(own, [...(names_of.get(own) ?? []), what]);
  }
  const sentences = [...names_of].map(([own, names]) => {
    const [follow, stand, them, have] = names.length > 1 ? ['follow', 'stand', 'them', 'They have sliders'] : ['follows', 'stands', 'it', 'It has a slider'];
    const of_form = `The closed form’s ${names.join(' and ')}`;
    if (own === '') return `${of_form} ${follow} them.`;
    if (own === platforms.join(', ')) return `${of_form} ${stand} still, since the file of each platform gives ${them}. ${have} below.`;
    return `${of_form} ${stand} still on ${own}, whose file gives ${them}. ${have} where the files of all chosen platforms give ${them}.`;
  });
  return ['Those of the network change what is simulated.', ...sentences].join(' ');
}

/** What a slower link has left of its bandwidth. */
const parts_of_bandwidth = [
  [0.5, 'half'],
  [0.25, 'a quarter'],
  [0.1, 'a tenth'],
  [0.001, 'broken: a thousandth'],
];

const noises = {
  'fixed:period=1ms,duration=10us': 'a quiet system: 1 % of each core',
  'fixed:period=1ms,duration=100us': 'a busy system: 10 % of each core',
  'exponential:period=100ms,duration=5ms': 'seldom and long: 5 % of each core, at random',
};

/** Controls whose help is shown. */
const open_helps = new Set();

/** What a control means: a question mark, and the text that it shows. */
function help_of(id, label, text) {
  const shown = element('p', { id: `help-of-${id}`, class: 'help' }, text);
  const mark = element('button', { type: 'button', class: 'mark', 'aria-controls': shown.id, 'aria-label': `What is “${label}”?` }, '?');
  const show = () => {
    shown.hidden = !open_helps.has(id);
    mark.setAttribute('aria-expanded', String(!shown.hidden));
  };
  mark.addEventListener('click', () => {
    if (!open_helps.delete(id)) open_helps.add(id);
    show();
  });
  show();
  return [mark, shown];
}

/** @param help  one text; none: the label says it all */
const row = (id, label, control, help) =>
  element('div', { class: 'control' }, element('label', { for: id }, label), control, ...(help ? help_of(id, label, help) : []));

/** Text that is told when it is complete: with Enter, or when the focus leaves it. */
function text_input(id, value, placeholder, told, attributes = {}) {
  const input = element('input', { type: 'text', id, placeholder, autocomplete: 'off', spellcheck: 'false', ...attributes });
  input.value = value;
  input.addEventListener('change', () => told(input.value.trim()));
  return input;
}

function text_control(flags, flag, label, placeholder, helps, change) {
  const id = `control${flag}`;
  const value = [flags[flag] ?? ''].flat().join(',');
  return row(id, label, text_input(id, value, placeholder, (text) => change((now) => changed(now, flag, text))), helps[flag]);
}

/** @param choices  {value: label} */
function select_of(id, choices, value, told) {
  const all = value in choices ? choices : { ...choices, [value]: value };
  const options = Object.entries(all).map(([choice, label]) => element('option', { value: choice }, label));
  const select = element('select', { id }, ...options);
  select.value = value;
  select.addEventListener('change', () => told(select.value));
  return select;
}

const with_default = (choices) => ({ '': 'default', ...Object.fromEntries(choices.map((choice) => [choice, choice])) });

function menu_control(flags, flag, label, choices, helps, change) {
  const id = `control${flag}`;
  const told = (value) => change((now) => changed(now, flag, value));
  return row(id, label, select_of(id, with_default(choices), flags[flag] ?? '', told), helps[flag]);
}

/** The algorithm of each collective operation that the recorded programs call. */
function collective_controls(flags, collectives, helps, change) {
  return Object.entries(collectives).map(([name, algorithms]) => {
    const id = `control--collective-${name}`;
    const told = (value) => change((now) => with_listed(now, '--collective', name, value));
    return row(id, `algorithm of ${name}`, select_of(id, with_default(algorithms), listed(flags, '--collective', name), told), helps['--collective']);
  });
}

function noise_controls(flags, helps, change) {
  const id = 'control--noise';
  const told = (value) => change((now) => changed(changed(now, '--noise', value), '--noise-runs', value && (now['--noise-runs'] ?? '')));
  const menu = row(id, 'noise', select_of(id, { '': 'none', ...noises }, flags['--noise'] ?? '', told), helps['--noise']);
  if (!flags['--noise']) return [menu];
  return [menu, text_control(flags, '--noise-runs', 'simulations with noise', '21', helps, change)];
}

/** One link that has only a part of its bandwidth. The report names the links that the question's run uses. */
function link_controls(flags, change) {
  const [name, factor] = slower_link_of(flags) ?? ['', 0.1];
  const part = select_of('control--link-part', Object.fromEntries(parts_of_bandwidth), String(factor), () => told());
  const link = text_input('control--link', name, 'none', () => told(), { list: 'links-of-run' });
  const told = () => change((now) => with_slower_link(now, link.value.trim(), part.value));
  return [
    row('control--link', 'a slower link', link, 'The name of one link, as in the report'),
    row('control--link-part', 'bandwidth that it keeps', part),
  ];
}

function switch_control(flags, flag, label, helps, change) {
  const id = `control${flag}`;
  const input = element('input', { type: 'checkbox', id });
  input.checked = flags[flag] === true;
  input.addEventListener('change', () => change((now) => changed(now, flag, input.checked)));
  return row(id, label, input, helps[flag]);
}

function parameter_control(flags, { flag, choices }, helps, change) {
  const label = flag.slice(2).replaceAll('-', ' ');
  return choices.length > 0
    ? menu_control(flags, flag, label, choices, helps, change)
    : text_control(flags, flag, label, 'default', helps, change);
}

/** A factor as a power of two, while it is moved and where it stays. @param of_platforms  {platform: {name: value}} */
function slider_control(flags, [name, label, formatted], of_platforms, change) {
  const id = `control--set-${name}`;
  const power = Math.log2(factor_of(flags, name));
  const input = element('input', { type: 'range', id, min: -most_powers, max: most_powers, step: 1, value: power });
  const output = element('output', { for: id });
  const factor = () => 2 ** Number(input.value);
  const has_own_value = /^[^x]/.test(set_of(flags, name));
  const values = element('span', { class: 'values' });
  const show = () => {
    output.textContent = factor() === 1 ? 'as it is' : factor() > 1 ? `× ${factor()}` : `÷ ${1 / factor()}`;
    values.textContent = [flags['--platform'] ?? []]
      .flat()
      .map((platform) => [platform, of_platforms[platform]?.[name]])
      .filter(([, value]) => value !== undefined && !has_own_value)
      .map(([platform, value]) => `${platform} ${formatted(value * factor())}`)
      .join(', ');
    input.setAttribute('aria-valuetext', `${output.textContent}: ${values.textContent}`);
  };
  input.addEventListener('input', () => {
    show();
    change((now) => with_factor(now, name, factor()), true);
  });
  input.addEventListener('change', () => change((now) => with_factor(now, name, factor())));
  show();
  return element('div', { class: 'slider' }, element('label', { for: id }, label), input, output, values);
}

function platforms_control(flags, platforms, change) {
  const chosen = [flags['--platform'] ?? []].flat();
  const boxes = [...new Set([...platforms, ...chosen])].map((platform, number) => {
    const id = `control--platform-${number}`;
    const input = element('input', { type: 'checkbox', id, value: platform });
    input.checked = chosen.includes(platform);
    input.addEventListener('change', () => {
      const next = boxes.flatMap(([box]) => (box.checked ? [box.value] : []));
      if (next.length === 0) input.checked = true;
      else change((now) => changed(now, '--platform', next));
    });
    return [input, element('label', { for: id }, input, platform)];
  });
  const abel = platforms.includes('abel')
    ? [element('span', { class: 'source' }, 'abel: the cluster in Oslo whose measurements Lagravière et al. published in 2019')]
    : [];
  return element('fieldset', { class: 'controls' }, element('legend', {}, 'platforms'), ...boxes.map(([, label]) => label), ...abel);
}

const group = (heading, ...controls) => element('div', { class: 'group' }, element('h3', {}, heading), ...controls);

/**
 * @param explore  that part of the page's data
 * @param change   called with what makes the new question of the old one, and whether it is only on its way to another one
 */
export function controls(explore, flags, change) {
  const { choices, help: helps, usual_policy, parameters_of_problems, parameters_of_policies } = explore.controls;
  const is = (flag) => explore.fixed.some((word) => word.startsWith(`${flag}=`));
  const problem = problem_of(flags) ?? Object.keys(parameters_of_problems).find(is);
  const has_recording = !problem_of(flags) && explore.controls.has_recording;
  const has_jobs = !problem_of(flags) && is('--job');
  const text = (flag, label, placeholder) => text_control(flags, flag, label, placeholder, helps, change);
  const menu = (flag, label) => menu_control(flags, flag, label, choices[flag], helps, change);

  const runs = [];
  if (problem_of(flags)) runs.push(text(problem, problem.slice(2), ''));
  if (!has_recording && !has_jobs)
    runs.push(
      text('--ranks', 'ranks', 'e.g. 16,64'),
      ...(parameters_of_problems[problem] ?? []).map((one) => parameter_control(flags, one, helps, change)),
      menu('--policy', 'policy'),
      ...(parameters_of_policies[flags['--policy'] ?? usual_policy] ?? []).map((one) =>
        parameter_control(flags, one, helps, change),
      ),
      menu('--transfer', 'transfer'),
      menu('--completion', 'completion'),
      text('--threads', 'threads a rank', '1'),
      text('--iterations', 'iterations', '1000'),
    );
  if (has_recording)
    runs.push(
      text('--compute-scale', 'seconds a second of work takes', '1'),
      ...collective_controls(flags, explore.controls.collectives, helps, change),
      menu('--work', 'work'),
    );
  runs.push(...noise_controls(flags, helps, change));
  const where = [platforms_control(flags, explore.platforms, change)];
  if (!has_jobs)
    where.push(
      text('--ranks-per-node', 'ranks a node', 'one a core'),
      menu('--placement', 'placement'),
      switch_control(flags, '--oversubscribe', 'more ranks than cores', helps, change),
    );
  where.push(text('--nodes', 'nodes of the platform', 'as in its file'));
  const chosen = [flags['--platform'] ?? []].flat();
  const has_closed_form = !has_recording && !has_jobs && chosen.length > 0;
  const all_give = (name) => giving(chosen, explore.controls.numbers, name).length === chosen.length;
  const shown = numbers.filter(([name]) => !(name in of_closed_form) || set_of(flags, name) || (has_closed_form && all_give(name)));
  const sliders = shown.map((number) => slider_control(flags, number, explore.controls.numbers, change));
  const limit = text_input('control--set-eager_limit', set_of(flags, 'eager_limit'), 'as it is, e.g. 64KiB', (value) =>
    change((now) => with_set(now, 'eager_limit', value)),
  );
  const link = slower_link_of(flags);
  const has_own = (set) =>
    set.startsWith('eager_limit=') || numbers.some(([name]) => set.startsWith(`${name}=x`)) || (link && set.startsWith(`link:${link[0]} bandwidth=x`));
  const others = text_input(
    'control--set',
    sets_of(flags).filter((set) => !has_own(set)).join(','),
    'e.g. call=20ns',
    (value) => change((now) => changed(now, '--set', [...sets_of(now).filter(has_own), ...sets_of({ '--set': value === '' ? [] : value })])),
  );
  where.push(
    row('control--set-eager_limit', 'eager limit', limit, 'The longest two-sided message that leaves before its receive is posted'),
    ...link_controls(flags, change),
    row('control--set', 'other numbers', others, helps['--set']),
  );
  return [
    group('What runs', ...runs),
    group('Where', ...where),
    group(
      'Numbers of the platform',
      ...(has_recording || has_jobs ? [] : [element('p', { class: 'source' }, about_closed_form(chosen, explore.controls.numbers))]),
      ...sliders,
    ),
  ];
}
