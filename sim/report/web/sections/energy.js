// What a run draws, on platforms that say their powers.

import { axis, chart, legend_above, row_px, rows_axis, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

const idle = 'idle';

/** One bar for each simulated run and platform. */
function bars_of(data) {
  return data.answers
    .filter((answer) => answer.energy)
    .map(({ run, platform, energy }) => ({
      name: `${data.platforms[platform].name}, ${format.counted(data.runs[run].ranks, 'rank')}`,
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
    `Energy of ${format.whole(data)}, by what the cores were busy with.`,
    (narrow) => (narrow ? 140 : 110) + bars.length * row_px(narrow),
    () =>
      `Energy of ${format.whole(data)}. ${bars
        .map(({ name, energy: { total_j, idle_j } }) => `${name}: ${format.joules(total_j)}, of it idle ${format.joules(idle_j)}.`)
        .join(' ')}`,
    ({ colours: now, narrow, width }) => {
      const series = names.map((name) => ({
        name,
        type: 'bar',
        stack: 'energy',
        barMaxWidth: narrow ? 14 : 18,
        data: bars.map(({ parts }) => parts.get(name) ?? 0),
        itemStyle: { color: name === idle ? now.muted : now.phase(data.is_program ? name : name.split(' ')[0]) },
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 30, top, bottom: 22, containLabel: true },
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
        yAxis: rows_axis(now, narrow, bars.map(({ name }) => name), width),
        series,
      };
    },
  );
  return {
    id: 'energy',
    heading: 'Energy',
    shows:
      `"${idle}" is what the machine would draw without any work in this time. A phase is what the cores draw more while they are in it. ` +
      'Ranks that wait poll, and so draw power, unless the report was made with --waiting idle.',
    source:
      'Simulated: for each number of busy cores, its power in the platform file × the time in which so many were busy. The powers were not measured here.',
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
