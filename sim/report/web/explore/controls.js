// What a question has, as controls. Each change is told with the new question.

import { element } from '../dom.js';
import { changed, factor_of, problem_of, set_of, sets_of, with_factor, with_set } from './question.js';

/** Numbers of a platform that have a slider: a factor of what its file says. */
const numbers = [
  ['link_bandwidth', 'bandwidth of links'],
  ['link_latency', 'latency of links'],
  ['message_overhead', 'time to start a message'],
  ['memory_bandwidth', 'memory bandwidth of a node'],
  ['memory_bandwidth_per_core', 'memory bandwidth of a core'],
];

const row = (id, label, control, help) =>
  element(
    'div',
    { class: 'control', ...(help ? { title: help } : {}) },
    element('label', { for: id }, label),
    control,
  );

/** Text that is told when it is complete: with Enter, or when the focus leaves it. */
function text_control(flags, flag, label, placeholder, help, change) {
  const id = `control${flag}`;
  const input = element('input', { type: 'text', id, placeholder, autocomplete: 'off', spellcheck: 'false' });
  input.value = [flags[flag] ?? ''].flat().join(',');
  input.addEventListener('change', () => change((now) => changed(now, flag, input.value.trim())));
  return row(id, label, input, help);
}

function menu_control(flags, flag, label, choices, help, change) {
  const id = `control${flag}`;
  const select = element(
    'select',
    { id },
    element('option', { value: '' }, 'default'),
    ...choices.map((choice) => element('option', { value: choice }, choice)),
  );
  select.value = flags[flag] ?? '';
  select.addEventListener('change', () => change((now) => changed(now, flag, select.value)));
  return row(id, label, select, help);
}

function switch_control(flags, flag, label, change) {
  const id = `control${flag}`;
  const input = element('input', { type: 'checkbox', id });
  input.checked = flags[flag] === true;
  input.addEventListener('change', () => change((now) => changed(now, flag, input.checked)));
  return row(id, label, input);
}

function parameter_control(flags, { flag, help, choices }, change) {
  const label = flag.slice(2).replaceAll('-', ' ');
  return choices.length > 0
    ? menu_control(flags, flag, label, choices, help, change)
    : text_control(flags, flag, label, 'default', help, change);
}

/** A factor as a power of two, while it is moved and where it stays. */
function slider_control(flags, [name, label], change) {
  const id = `control--set-${name}`;
  const power = Math.log2(factor_of(flags, name));
  const input = element('input', { type: 'range', id, min: -5, max: 5, step: 1, value: power });
  const output = element('output', { for: id });
  const factor = () => 2 ** Number(input.value);
  const show = () => {
    output.textContent = factor() === 1 ? 'as it is' : factor() > 1 ? `× ${factor()}` : `÷ ${1 / factor()}`;
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    change((now) => with_factor(now, name, factor()), true);
  });
  input.addEventListener('change', () => change((now) => with_factor(now, name, factor())));
  show();
  return element('div', { class: 'slider' }, element('label', { for: id }, label), input, output);
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
  return element('fieldset', { class: 'controls' }, element('legend', {}, 'platforms'), ...boxes.map(([, label]) => label));
}

const group = (heading, ...controls) => element('div', { class: 'group' }, element('h3', {}, heading), ...controls);

/**
 * @param explore  of the page's data
 * @param change   called with what makes the new question of the old one, and whether it is only on its way to another one
 */
export function controls(explore, flags, change) {
  const { choices, usual_policy, parameters_of_problems, parameters_of_policies } = explore.controls;
  const is = (flag) => explore.fixed.some((word) => word.startsWith(`${flag}=`));
  const problem = problem_of(flags) ?? Object.keys(parameters_of_problems).find(is);
  const has_traces = !problem_of(flags) && is('--trace');
  const has_jobs = !problem_of(flags) && is('--job');
  const text = (flag, label, placeholder, help) => text_control(flags, flag, label, placeholder, help, change);
  const menu = (flag, label) => menu_control(flags, flag, label, choices[flag], undefined, change);

  const runs = [];
  if (problem_of(flags)) runs.push(text(problem, problem.slice(2), '', 'What runs'));
  if (!has_traces && !has_jobs)
    runs.push(
      text('--ranks', 'ranks', 'e.g. 16,64', 'Numbers of ranks, e.g. 16,64 or 2..8'),
      ...(parameters_of_problems[problem] ?? []).map((one) => parameter_control(flags, one, change)),
      menu('--policy', 'policy'),
      ...(parameters_of_policies[flags['--policy'] ?? usual_policy] ?? []).map((one) =>
        parameter_control(flags, one, change),
      ),
      menu('--transfer', 'transfer'),
      menu('--completion', 'completion'),
      text('--threads', 'threads a rank', '1'),
    );
  if (has_traces)
    runs.push(
      text('--compute-scale', 'seconds a second of work takes', '1', 'Of a recorded program: its work is scaled'),
      text('--collective', 'algorithm of collectives', 'e.g. allreduce=ring', 'Of a recorded program'),
      menu('--work', 'work'),
    );
  if (has_jobs) runs.push(text('--noise', 'noise', 'e.g. fixed:period=1ms,duration=10us', 'What the system takes from the cores'));
  const where = [platforms_control(flags, explore.platforms, change)];
  if (!has_jobs)
    where.push(
      text('--ranks-per-node', 'ranks a node', 'one a core'),
      menu('--placement', 'placement'),
      switch_control(flags, '--oversubscribe', 'more ranks than cores', change),
    );
  where.push(text('--nodes', 'nodes of the platform', 'as in its file', 'The platform with this many nodes'));
  const sliders = numbers.map((number) => slider_control(flags, number, change));
  const limit = element('input', { type: 'text', id: 'control--set-eager_limit', placeholder: 'as it is, e.g. 64KiB', autocomplete: 'off', spellcheck: 'false' });
  limit.value = set_of(flags, 'eager_limit');
  limit.addEventListener('change', () => change((now) => with_set(now, 'eager_limit', limit.value.trim())));
  const others = element('input', {
    type: 'text',
    id: 'control--set',
    placeholder: 'e.g. call=20ns',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const has_own = (set) => set.startsWith('eager_limit=') || numbers.some(([name]) => set.startsWith(`${name}=x`));
  others.value = sets_of(flags)
    .filter((set) => !has_own(set))
    .join(',');
  others.addEventListener('change', () =>
    change((now) =>
      changed(now, '--set', [
        ...sets_of(now).filter(has_own),
        ...(others.value.trim() === '' ? [] : others.value.trim().split(/,(?=\w+=)/)),
      ]),
    ),
  );
  return [
    group('What runs', ...runs),
    group('Where', ...where),
    group(
      'Numbers of the platform',
      element(
        'p',
        { class: 'source' },
        'Of the network, they change what is simulated. The closed form has τ and W_remote instead: other numbers, tau=x2.',
      ),
      ...sliders,
      row('control--set-eager_limit', 'eager limit', limit, 'The longest two-sided message that leaves before its receive is posted'),
      row('control--set', 'other numbers', others, 'As --set takes them (docs/platforms.md)'),
    ),
  ];
}
