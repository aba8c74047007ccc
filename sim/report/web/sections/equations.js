// The closed form with this run's numbers in it, and sliders that move it.

import { chart, row_px, rows_axis, time_axis, tooltip } from '../chart.js';
import { element } from '../dom.js';
import * as format from '../format.js';
import { evaluate, private_bandwidth, seconds_apiece } from '../formula.js';

/** "S_local,out" with what follows the underscore as a subscript. */
function symbols(text) {
  return text.split(/([A-Za-z]+_[A-Za-z,]+)/).map((piece, number) => {
    if (number % 2 === 0) return piece;
    const [letter, below] = piece.split('_');
    return element('span', {}, letter, element('sub', {}, below));
  });
}

const apiece_symbol = {
  tau: 'τ',
  call: 'call',
  search_step: 'step',
  shared_pointer_access: 'access',
  affinity_test: 'test',
};
const rate_symbol = { private_bytes: 'W_private', remote_bytes: 'W_remote' };
const part_colour = { local: 'receive', remote: 'put', gather: 'get' }; // the others are phases
const part_name = { local: 'messages within a node', remote: 'messages between nodes' };

const bar_name = (term) =>
  `${part_name[term.part] ?? term.part}${apiece_symbol[term.cost] ? `, ${apiece_symbol[term.cost]}` : ''}${term.cost === 'remote_bytes' ? ', bytes' : ''}`;

function equation_of(term) {
  const factor = {
    most_of_node: 'max over its ranks of ',
    sum_of_node: 'sum over its ranks of ',
    ranks_times_most_of_node: 'ranks · max of ',
    of_rank: '',
  }[term.gathering];
  return apiece_symbol[term.cost]
    ? `${factor}${term.symbol} · ${apiece_symbol[term.cost]}`
    : `${factor}${term.symbol} · ${term.each} / ${rate_symbol[term.cost]}`;
}

function numbers_of(formula, term, count, machine) {
  if (apiece_symbol[term.cost])
    return `${format.count(count)} × ${format.or(format.seconds, seconds_apiece(term, machine))}`;
  const rate =
    term.cost === 'remote_bytes' ? machine.remote_bandwidth_bytes_per_s : private_bandwidth(formula, machine);
  return `${format.count(count)} × ${format.count(term.bytes_each + term.cache_lines_each * machine.cache_line_bytes)} B ÷ ${format.or(format.bandwidth, rate)}`;
}

/** "4.2 % more" */
const more_or_less = (value, reference) =>
  `${Math.abs((100 * (value - reference)) / reference).toFixed(1)} % ${value < reference ? 'less' : 'more'}`;

/** What the total is the sum of. */
function total_of(formula) {
  const parts = (of_rank) =>
    [
      ...new Set(
        formula.terms.filter((term) => (term.gathering === 'of_rank') === of_rank).map((term) => term.part),
      ),
    ].join(' + ');
  const maxima = [
    ['nodes', parts(false)],
    ['ranks', parts(true)],
  ]
    .filter(([, sum]) => sum !== '')
    .map(([over, sum]) => `max over ${over} (${sum})`);
  return `T = ${maxima.join(' + ')}, eq. ${formula.total_equation}`;
}

/** A labelled slider; `shown` makes text of its position. */
function slider(id, label, least, most, step, start, shown, moved) {
  const input = element('input', { type: 'range', id, min: least, max: most, step, value: start });
  const output = element('output', { for: id });
  const show = () => {
    output.textContent = shown(Number(input.value));
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    moved(Number(input.value));
  });
  show();
  const range = element(
    'span',
    { class: 'range', 'aria-hidden': 'true' },
    element('span', {}, shown(least)),
    element('span', {}, shown(most)),
  );
  const row = element('div', { class: 'slider' }, element('label', { for: id }, ...label), input, output, range);
  row.id_of_input = id;
  row.position = () => (Number(input.value) === start ? undefined : input.value);
  row.go_to = (position) => {
    input.value = position;
    show();
    moved(Number(input.value));
  };
  row.reset = () => row.go_to(start);
  return row;
}

/** Sliders that are not at their start are written into the page's address, and set from it. */
function remember(sliders) {
  const read = () => {
    const places = new URLSearchParams(location.hash.split('&').slice(1).join('&'));
    for (const row of sliders) {
      const position = places.get(row.id_of_input);
      if (position !== null && Number.isFinite(Number(position))) row.go_to(position);
    }
  };
  read();
  return () => {
    const moved = sliders
      .filter((row) => row.position() !== undefined)
      .map((row) => `&${row.id_of_input}=${row.position()}`);
    history.replaceState(null, '', `#equations${moved.join('')}`);
  };
}

export function equations(data) {
  const { formula } = data;
  if (!formula) return undefined;
  const platform = data.platforms[data.focus_platform];
  const own = formula.choices.findIndex((choice) => choice.own);
  const machine = { ...platform };
  let chosen = own;
  const simulated_s = data.answers.find(
    (answer) => answer.run === data.focus && answer.platform === data.focus_platform,
  )?.simulated_s;
  let now_is = evaluate(formula, formula.choices[chosen], machine);
  const own_s = now_is.total_s;

  const total = element('output', { id: 'formula-total', class: 'total', 'aria-live': 'polite' });
  const body = element('tbody');
  const against = element('p', { id: 'formula-against' });
  const deciding = element('p', { class: 'source' });
  let sliders = [];
  const show = () => {
    total.dataset.seconds = now_is.total_s;
    total.textContent = `Closed form: T = ${format.seconds(now_is.total_s)} an iteration`;
    const is_moved = sliders.some((row) => row.position() !== undefined);
    against.textContent =
      simulated_s > 0
        ? `The simulation of this run takes ${format.seconds(simulated_s)}. The closed form of this run takes ${format.seconds(own_s)}, which is ${more_or_less(own_s, simulated_s)}.` +
          (is_moved ? ' Nothing was simulated where the sliders are now.' : '')
        : '';
    const deciders = [];
    if (formula.terms.some((term) => term.gathering !== 'of_rank')) deciders.push(`node ${now_is.node}`);
    if (formula.terms.some((term) => term.gathering === 'of_rank')) deciders.push(`rank ${now_is.rank}`);
    deciding.textContent =
      `The time is that of ${deciders.join(' and ')}, which take${deciders.length > 1 ? '' : 's'} longest of ${format.counted(formula.ranks, 'rank')}, ` +
      `${format.count(formula.most_ranks_on_a_node)} a node. ` +
      `A rank's memory bandwidth is ${format.bandwidth(private_bandwidth(formula, machine))}.`;
    body.replaceChildren(
      ...formula.terms.map((term, index) => {
        const { count, seconds } = now_is.terms[index];
        return element(
          'tr',
          {},
          element('th', { class: 'text', scope: 'row' }, term.equation),
          element('td', { class: 'text', 'data-column': 'part' }, bar_name(term)),
          element(
            'td',
            { class: 'text', 'data-column': 'sum' },
            element(
              'span',
              {},
              ...symbols(equation_of(term)),
              element('br'),
              `= ${numbers_of(formula, term, count, machine)}`,
            ),
          ),
          element('td', { 'data-column': 'time' }, format.seconds(seconds)),
          element('td', { 'data-column': 'share' }, `${((100 * seconds) / now_is.total_s).toFixed(1)} %`),
        );
      }),
    );
  };
  show();

  const describe = () =>
    `Terms of the closed form, ${format.seconds(now_is.total_s)} in all. ${formula.terms
      .map((term, index) => `${bar_name(term)}: ${format.seconds(now_is.terms[index].seconds)}.`)
      .join(' ')}`;
  const drawn = chart(
    'The terms that add up to T. Move a slider to see which of them become large.',
    (narrow) => 60 + formula.terms.length * row_px(narrow),
    describe,
    ({ colours: now, narrow, width }) => ({
      grid: { left: 8, right: 64, top: 8, bottom: 20, containLabel: true },
      tooltip: tooltip(now, (bar) => `${bar.name}: ${format.seconds(bar.value)}`),
      xAxis: time_axis(now, 26, data),
      yAxis: rows_axis(now, narrow, formula.terms.map(bar_name), width),
      series: [
        {
          name: 'terms',
          type: 'bar',
          barMaxWidth: narrow ? 14 : 20,
          label: {
            show: true,
            position: 'right',
            color: now.text,
            formatter: (bar) => format.seconds(bar.value),
          },
          data: now_is.terms.map(({ seconds }, index) => ({
            value: seconds,
            itemStyle: { color: now.phase(part_colour[formula.terms[index].part] ?? formula.terms[index].part) },
          })),
        },
      ],
    }),
  );
  const update = () => {
    now_is = evaluate(formula, formula.choices[chosen], machine);
    show();
    if (drawn.chart) drawn.redraw();
  };

  // A position is the power of two that the platform's own number is multiplied by.
  const scaled = (id, label, name, shown) =>
    platform[name] === undefined
      ? []
      : [
          slider(
            id,
            label,
            -5,
            5,
            0.25,
            0,
            (power) => shown(platform[name] * 2 ** power),
            (power) => {
              machine[name] = platform[name] * 2 ** power;
              update();
            },
          ),
        ];
  sliders = [
    ...scaled('slider-tau', ['τ, a remote access'], 'tau_s', format.seconds),
    ...scaled(
      'slider-memory',
      ['memory bandwidth of a node'],
      'memory_bandwidth_bytes_per_s',
      format.bandwidth,
    ),
    ...scaled(
      'slider-core',
      ['memory bandwidth of a core'],
      'memory_bandwidth_per_core_bytes_per_s',
      format.bandwidth,
    ),
    ...scaled(
      'slider-network',
      [...symbols('W_remote'), ', network of a node'],
      'remote_bandwidth_bytes_per_s',
      format.bandwidth,
    ),
    slider(
      'slider-line',
      ['cache line'],
      -2,
      2,
      1,
      0,
      (power) => `${platform.cache_line_bytes * 2 ** power} B`,
      (power) => {
        machine.cache_line_bytes = platform.cache_line_bytes * 2 ** power;
        update();
      },
    ),
    ...(formula.choices.length < 2
      ? []
      : [
          slider(
            'slider-block-size',
            ['BLOCKSIZE'],
            0,
            formula.choices.length - 1,
            1,
            own,
            (number) =>
              `${format.count(formula.choices[number].block_size)}${number === own ? ' (own)' : ''}`,
            (number) => {
              chosen = number;
              update();
            },
          ),
        ]),
  ];
  const reset = element('button', { type: 'button', id: 'slider-reset' }, 'Back to this run');
  const write = remember(sliders);
  for (const row of sliders) row.addEventListener('input', write);
  reset.addEventListener('click', () => {
    sliders.forEach((row) => row.reset());
    write();
  });
  const head = ['equation', 'part', 'in symbols, and with numbers', 'time', 'share'];
  const terms = element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Terms of the closed form' },
    element(
      'table',
      { class: 'blocks' },
      element('caption', {}, total_of(formula)),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...head.map((name, column) =>
            element('th', { scope: 'col', ...(column < 3 ? { class: 'text' } : {}) }, name),
          ),
        ),
      ),
      body,
    ),
  );

  return {
    id: 'equations',
    heading: 'The equations, with numbers',
    shows:
      'The closed form of this run, term by term. Each slider changes one number of the machine, or BLOCKSIZE; its range stands below it. ' +
      'The sliders move the closed form in this section only. Nothing is simulated again. The address of the page keeps their positions.',
    source:
      `Equations of Lagravière et al. 2019, variant ${formula.variant} (docs/model.md says how they were read). The counts are those of ${data.runs[data.focus].name}, the machine is ${platform.name}. ` +
      `finegrain predict prints ${formula.choices[own].total_s.toPrecision(9)} s an iteration for this run.`,
    parts: [
      element('div', { role: 'group', 'aria-label': 'Sliders' }, ...sliders, reset),
      total,
      against,
      deciding,
      drawn,
      terms,
    ],
  };
}
