// Times and volumes of every rank, as in Figures 1 and 2 of Lagravière et al. 2019.

import { axis, chart, legend_above, tooltip } from '../chart.js';
import { details_table, menu } from '../dom.js';
import * as format from '../format.js';

const per_bar = (bars) =>
  bars.ranks_per_bar === 1
    ? ''
    : ` Each bar is the mean of ${bars.ranks_per_bar} ranks. The line through it goes from the least to the most of them.`;

function names_of(bars, run, number) {
  return Array.from({ length: number }, (_, bar) =>
    bars.ranks_per_bar === 1
      ? `${bar}`
      : `${bar * bars.ranks_per_bar}–${Math.min(run.ranks, (bar + 1) * bars.ranks_per_bar) - 1}`,
  );
}

/** Least to most of a bar's ranks, as a line. */
function whiskers(values, now) {
  return {
    type: 'custom',
    name: 'least to most',
    silent: true,
    z: 4,
    itemStyle: { color: now.text },
    data: values.map(([least, , most], bar) => [bar, least, most]),
    renderItem: (_, api) => {
      const [x, low] = api.coord([api.value(0), api.value(1)]);
      const [, high] = api.coord([api.value(0), api.value(2)]);
      return {
        type: 'line',
        shape: { x1: x, y1: low, x2: x, y2: high },
        style: { stroke: now.text, lineWidth: 1 },
      };
    },
  };
}

export function rank_times(data) {
  const bars = data.rank_bars;
  if (!bars) return undefined;
  const run = data.runs[data.focus];
  const labels = bars.times.map(({ source, name }) => `${name}, ${source}`);
  const names = names_of(bars, run, bars.times[0].seconds.length);
  let shown = Math.max(0, labels.indexOf('compute, simulated'));
  const describe = () => {
    const values = bars.times[shown].seconds;
    return (
      `${labels[shown]}, of each rank: from ${format.seconds(Math.min(...values.map((value) => value[0])))} ` +
      `to ${format.seconds(Math.max(...values.map((value) => value[2])))}.`
    );
  };
  const drawn = chart(
    `Time of one ${data.is_program ? 'function' : 'phase'} in ${format.whole(data)}, by rank.${per_bar(bars)}`,
    320,
    describe,
    ({ colours: now }) => {
      const { source, name, seconds } = bars.times[shown];
      return {
        grid: { left: 70, right: 16, top: 12, bottom: 48 },
        tooltip: tooltip(
          now,
          ({ dataIndex }) =>
            `rank ${names[dataIndex]}<br>${seconds[dataIndex].map(format.seconds).join(' / ')}` +
            `${bars.ranks_per_bar === 1 ? '' : '<br>least / mean / most'}`,
          { trigger: 'item' },
        ),
        xAxis: axis(now, { type: 'category', data: names, name: 'rank', nameGap: 28 }),
        yAxis: axis(now, {
          type: 'value',
          name: labels[shown],
          nameGap: 54,
          axisLabel: { formatter: format.seconds },
        }),
        series: [
          {
            name,
            type: 'bar',
            barCategoryGap: '15%',
            itemStyle: {
              color: source === 'simulated' ? now.phase(name.split(' ')[0]) : now[source.replace(' ', '_')],
            },
            data: seconds.map((value) => value[1]),
          },
          ...(bars.ranks_per_bar === 1 ? [] : [whiskers(seconds, now)]),
        ],
      };
    },
  );
  return {
    id: 'rank-times',
    heading: 'Times of every rank',
    shows: `How long every rank spends in one ${data.is_program ? 'function' : 'phase, as in Figure 1 of Lagravière et al. 2019'}. Bars of different length show that work is not balanced.`,
    source:
      `${run.name}, ${format.counted(run.ranks, 'rank')}, on ${data.platforms[data.focus_platform].name}. ` +
      (data.is_program
        ? run.recorded
          ? 'Measured: as recorded.'
          : 'Measured: nothing.'
        : 'Simulated: the mean of the replayed iterations. Closed form: eqs. (7) and (10)–(15), or (19), (20) and (22), for each rank.'),
    parts: [
      menu(data.is_program ? 'Function' : 'Phase', labels, shown, (number) => {
        shown = number;
        drawn.redraw();
      }),
      drawn,
      details_table(`Times of ${format.whole(data)} by rank: mean`, ['rank', ...labels], () =>
        names.map((name, bar) => [name, ...bars.times.map(({ seconds }) => format.seconds(seconds[bar][1]))]),
      ),
    ],
  };
}

export function rank_volumes(data) {
  const bars = data.rank_bars;
  if (!bars) return undefined;
  const run = data.runs[data.focus];
  const names = names_of(bars, run, bars.volumes.in_local.length);
  const stacks = [
    ['in_local', 'in, from its node', 5],
    ['in_remote', 'in, from other nodes', 1],
    ['out_local', 'out, within its node', 2],
    ['out_remote', 'out, to other nodes', 4],
  ].filter(([key]) => bars.volumes[key].some((value) => value[2] > 0));
  if (stacks.length === 0) return undefined;
  const total = (key) => bars.volumes[key].reduce((sum, value) => sum + value[1], 0) / names.length;
  const describe = () =>
    `Bytes of ${format.whole(data)} by rank, on average: ${stacks.map(([key, name]) => `${name} ${format.bytes(total(key))}`).join(', ')}.`;
  const drawn = chart(
    `Bytes of ${format.whole(data)} by rank. What it receives is drawn upwards, what it sends downwards.${bars.ranks_per_bar === 1 ? '' : ` Each bar is the mean of ${bars.ranks_per_bar} ranks.`}`,
    (narrow) => (narrow ? 400 : 350),
    describe,
    ({ colours: now, width }) => {
      const series = stacks.map(([key, name, colour]) => ({
        name,
        type: 'bar',
        stack: 'volume',
        barCategoryGap: '15%',
        itemStyle: { color: now.series(colour) },
        data: bars.volumes[key].map((value) => (key.startsWith('out') ? -value[1] : value[1])),
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 76, right: 16, top, bottom: 48 },
        legend,
        tooltip: tooltip(
          now,
          (bar) => `rank ${bar.name}<br>${bar.seriesName}: ${format.bytes(Math.abs(bar.value))}`,
        ),
        xAxis: axis(now, {
          type: 'category',
          data: names,
          name: 'rank',
          nameGap: 28,
          axisLine: { onZero: false },
        }),
        yAxis: axis(now, {
          type: 'value',
          name: 'bytes',
          nameGap: 60,
          axisLabel: { formatter: (value) => format.bytes(Math.abs(value)) },
        }),
        series,
      };
    },
  );
  return {
    id: 'rank-volumes',
    heading: 'Volumes of every rank',
    shows:
      `How much every rank receives and sends, within its node and between nodes${data.is_program ? '' : ', as in Figure 2 of Lagravière et al. 2019'}.`,
    source: `${format.counted_in(data)}.`,
    parts: [
      drawn,
      details_table(
        `Bytes of ${format.whole(data)} by rank: least, mean, most`,
        ['rank', ...stacks.map(([, name]) => name)],
        () =>
          names.map((name, bar) => [
            name,
            ...stacks.map(([key]) =>
              bars.ranks_per_bar === 1
                ? format.count(bars.volumes[key][bar][1])
                : bars.volumes[key][bar].map((value) => format.count(value)).join(' / '),
            ),
          ]),
      ),
    ],
  };
}
