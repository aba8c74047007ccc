// What a run draws, on platforms that say their powers.

import { axis, chart, legend_above, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

const idle = 'idle';

/** One bar for each simulated run and platform. */
function bars_of(data) {
  return data.answers
    .filter((answer) => answer.energy)
    .map(({ run, platform, energy }) => ({
      name: `${data.platforms[platform].name}, ${format.count(data.runs[run].ranks)} ranks`,
      energy,
      parts: new Map([
        [idle, energy.idle_j],
        ...energy.phases.filter(({ joules }) => joules > 0).map(({ name, joules }) => [name, joules]),
      ]),
    }));
}

export function energy(data) {
  const bars = bars_of(data);
  if (bars.length === 0) return undefined;
  const names = [...new Set(bars.flatMap(({ parts }) => [...parts.keys()]))];
  const drawn = chart(
    `Joules of ${format.whole(data)}, by what the cores were busy with.`,
    (narrow) => (narrow ? 190 : 130) + bars.length * (narrow ? 44 : 34),
    () =>
      `Energy of ${format.whole(data)}. ${bars
        .map(({ name, energy: { total_j, idle_j } }) => `${name}: ${format.joules(total_j)}, of it idle ${format.joules(idle_j)}.`)
        .join(' ')}`,
    ({ colours: now, narrow, width }) => {
      const series = names.map((name, number) => ({
        name,
        type: 'bar',
        stack: 'energy',
        barMaxWidth: 20,
        data: bars.map(({ parts }) => parts.get(name) ?? 0),
        itemStyle: { color: name === idle ? now.muted : now.series(number - 1) },
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 30, top, bottom: 44, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          ({ seriesName, value, dataIndex }) =>
            `${format.escaped(bars[dataIndex].name)}<br>${format.escaped(seriesName)}: ${format.joules(value)} of ${format.joules(bars[dataIndex].energy.total_j)}`,
        ),
        xAxis: axis(now, {
          type: 'value',
          name: 'energy',
          nameGap: 28,
          axisLabel: { formatter: format.joules, hideOverlap: true },
        }),
        yAxis: axis(now, {
          type: 'category',
          inverse: true,
          data: bars.map(({ name }) => name),
          axisLabel: { interval: 0, width: narrow ? 130 : 260, overflow: 'break' },
        }),
        series,
      };
    },
  );
  return {
    id: 'energy',
    heading: 'Energy',
    shows:
      'What each phase adds to what the machine draws idle, and that itself. Waiting ranks poll unless the report was ' +
      'made with --waiting idle: what they then draw is the cost of waiting.',
    source:
      'Simulated: powers of the platform (given there, not measured here) × the time in which so many cores were busy.',
    parts: [
      drawn,
      details_table(
        `Energy of ${format.whole(data)}`,
        ['platform, ranks', 'energy', 'mean power', ...names],
        () =>
          bars.map(({ name, energy: { total_j, mean_w }, parts }) => [
            name,
            format.joules(total_j),
            `${mean_w.toPrecision(3)} W`,
            ...names.map((part) => (parts.has(part) ? format.joules(parts.get(part)) : '–')),
          ]),
      ),
    ],
  };
}
