// Strong scaling: the same problem on more ranks.

import { axis, chart, legend_above, time_axis, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';

const marks = ['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow'];

/** One line for each platform and source. */
function lines_of(data) {
  const lines = [];
  data.platforms.forEach((platform, number) => {
    for (const source of ['simulated', 'closed form', 'measured']) {
      const points = data.answers
        .filter((answer) => answer.platform === number && answer[`${source.replace(' ', '_')}_s`] > 0)
        .filter(
          (answer) =>
            source === 'measured' ||
            !data.runs[answer.run].recorded ||
            data.runs.every((run) => run.recorded),
        )
        .map((answer) => [data.runs[answer.run].ranks, answer[`${source.replace(' ', '_')}_s`]])
        .sort((a, b) => a[0] - b[0]);
      if (points.length > 0) lines.push({ name: `${platform.name}, ${source}`, number, source, points });
    }
  });
  return lines;
}

export function scaling(data) {
  const lines = lines_of(data);
  const reference = lines[0].points;
  const most = Math.max(...lines.flatMap((line) => line.points.map(([ranks]) => ranks)));
  if (lines.every((line) => line.points.length < 2)) return undefined;
  const ideal = [reference[0], [most, (reference[0][1] * reference[0][0]) / most]];
  const described = lines.map(({ name, points }) => {
    const last = points[points.length - 1];
    return `${name}: ${format.seconds(points[0][1])} at ${format.count(points[0][0])} ranks, ${format.seconds(last[1])} at ${format.count(last[0])} ranks.`;
  });

  const drawn = chart(
    'Time of one iteration by ranks, both logarithmic. Solid: simulated; dashed: closed form; dotted: ideal.',
    (narrow) => 380 + (narrow ? 24 : 12) * lines.length,
    () => `Strong scaling. ${described.join(' ')}`,
    ({ colours: now, width }) => {
      const series = [
        ...lines.map(({ name, number, source, points }) => ({
          name,
          type: 'line',
          data: points,
          symbol: marks[number % marks.length],
          symbolSize: source === 'measured' ? 14 : 8,
          itemStyle: { color: source === 'measured' ? now.measured : now.series(number) },
          lineStyle: {
            width: source === 'measured' ? 0 : 2,
            type: source === 'closed form' ? 'dashed' : 'solid',
          },
        })),
        {
          name: 'ideal',
          type: 'line',
          data: ideal,
          symbol: 'none',
          lineStyle: { color: now.muted, type: 'dotted', width: 1.5 },
          itemStyle: { color: now.muted },
        },
      ];
      const { legend, top } = legend_above(now, series, width);
      return {
        grid: { left: 70, right: 20, top, bottom: 48 },
        legend,
        tooltip: tooltip(
          now,
          (point) =>
            `${format.escaped(point.seriesName)}<br>${format.count(point.value[0])} ranks: ${format.seconds(point.value[1])}`,
        ),
        xAxis: axis(now, {
          type: 'log',
          logBase: 2,
          name: 'ranks',
          nameGap: 28,
          axisLabel: { formatter: format.count },
        }),
        yAxis: time_axis(now, 'log', 54, data),
        series,
      };
    },
  );
  return {
    id: 'scaling',
    heading: 'Strong scaling',
    shows:
      'The same problem on more and more ranks. Where a line leaves the ideal one, communication or imbalance begins to cost.',
    source: `Simulated: a replay of each schedule on each platform. Closed form: as above. Ideal: ${lines[0].name} at ${format.count(reference[0][0])} ranks, divided.`,
    parts: [
      drawn,
      details_table('Time of one iteration by ranks', ['line', 'ranks', 'time'], () =>
        lines.flatMap(({ name, points }) =>
          points.map(([ranks, time]) => [name, format.count(ranks), format.seconds(time)]),
        ),
      ),
    ],
  };
}
