// Strong scaling: the same problem on more ranks, as time or as parallel efficiency.

import { axis, chart, legend_above, log_axis, log_time_axis, marks_at, tooltip } from '../chart.js';
import { choice, details_table } from '../dom.js';
import * as format from '../format.js';

const marks = ['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow'];

/** One line for each platform and source. */
function lines_of(data) {
  const lines = [];
  data.platforms.forEach((platform, number) => {
    for (const source of ['simulated', 'closed form', 'measured']) {
      // A recorded program was measured once, on whichever platforms it is simulated.
      if (data.is_program && source === 'measured' && number > 0) continue;
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
      const name = data.is_program && source === 'measured' ? source : `${platform.name}, ${source}`;
      if (points.length > 0) lines.push({ name, number, source, points });
    }
  });
  return lines;
}

const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;

/** Speed-up since the first point, over how many times as many ranks there are. */
const efficiency_of = ([[first_ranks, first_time]], [ranks, time]) => (first_time * first_ranks) / (time * ranks);

export function scaling(data) {
  const lines = lines_of(data);
  const reference = lines[0].points;
  const most = Math.max(...lines.flatMap((line) => line.points.map(([ranks]) => ranks)));
  if (lines.every((line) => line.points[0][0] === line.points.at(-1)[0])) return undefined;
  const ideal = [reference[0], [most, (reference[0][1] * reference[0][0]) / most]];
  let shows = 'time';
  const described = lines.map(({ name, points }) => {
    const last = points[points.length - 1];
    return (
      `${name}: ${format.seconds(points[0][1])} at ${format.counted(points[0][0], 'rank')}, ${format.seconds(last[1])} at ${format.counted(last[0], 'rank')}` +
      `${points.length > 1 ? `, an efficiency of ${percent(efficiency_of(points, last))}` : ''}.`
    );
  });
  /** The lines as they are drawn now. */
  const drawn_lines = () =>
    shows === 'time'
      ? { lines, ideal }
      : {
          lines: lines
            .filter(({ points }) => points.length > 1)
            .map((line) => ({
              ...line,
              points: line.points.map((point) => [point[0], efficiency_of(line.points, point)]),
            })),
          ideal: ideal.map(([ranks]) => [ranks, 1]),
        };

  const drawn = chart(
    `Solid lines are simulated, ${data.is_program ? 'diamonds are measured' : 'dashed lines are the closed form'}, the dotted line is ideal. Ranks and times are on logarithmic axes.`,
    (narrow) => 380 + (narrow ? 24 : 12) * lines.length,
    () => `${data.is_program ? 'Scaling' : 'Strong scaling'}. ${described.join(' ')}`,
    ({ colours: now, width }) => {
      const { lines: shown, ideal: shown_ideal } = drawn_lines();
      const is_time = shows === 'time';
      const series = [
        ...shown.map(({ name, number, source, points }) => ({
          name,
          type: 'line',
          data: points,
          symbol: data.is_program && source === 'measured' ? 'diamond' : marks[number % marks.length],
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
          data: shown_ideal,
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
            `${format.escaped(point.seriesName)}<br>${format.counted(point.value[0], 'rank')}: ${is_time ? format.seconds(point.value[1]) : percent(point.value[1])}`,
        ),
        xAxis: log_axis(
          now,
          [],
          { logBase: 2, name: 'ranks', nameGap: 28, axisLabel: { formatter: format.count } },
          marks_at(series.flatMap((line) => line.data.map(([ranks]) => ranks))),
        ),
        yAxis: is_time
          ? log_time_axis(now, series.flatMap((line) => line.data.map(([, time]) => time)), 54, data)
          : axis(now, { type: 'value', min: 0, name: 'parallel efficiency', nameGap: 54, axisLabel: { formatter: percent } }),
        series,
      };
    },
  );
  return {
    id: 'scaling',
    heading: data.is_program ? 'Scaling' : 'Strong scaling',
    shows:
      (data.is_program
        ? 'The recorded runs by their numbers of ranks. The ideal line is that of one problem on more and more ranks; if it grows with them, an even line is ideal. '
        : 'The same problem on more and more ranks. Where a line leaves the ideal one, communication or imbalance begins to cost. ') +
      'Efficiency is how many times faster a run is than the first point of its line, divided by how many times as many ranks it has.',
    source: `The ideal time is that of "${lines[0].name}" at ${format.counted(reference[0][0], 'rank')}, divided by how many times as many ranks there are.`,
    parts: [
      choice('Show', { time: 'time', efficiency: 'efficiency' }, (chosen) => {
        shows = chosen;
        drawn.redraw();
      }),
      drawn,
      details_table(`Time of ${format.whole(data)} by ranks`, ['line', 'ranks', 'time', 'efficiency'], () =>
        lines.flatMap(({ name, points }) =>
          points.map((point) => [
            name,
            format.count(point[0]),
            format.seconds(point[1]),
            percent(efficiency_of(points, point)),
          ]),
        ),
      ),
    ],
  };
}
