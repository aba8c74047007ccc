// Ranks of all jobs by time. Each job has a line of its own above its ranks, and a stripe beside them.

import { axis, chart, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';
import { legend_of, span_series, time_axis_of, time_zoom, zoom_buttons } from '../sections/time_window.js';
import { reserve_for } from '../theme.js';
import { name_of } from './times.js';

/** Lines of the drawing from top to bottom: each job's name, then its ranks. @return [{job, rank}], rank undefined in a
 *  line that has the name, and of each rank that is drawn its line */
function lines_of(rows) {
  const lines = [];
  const line_of_row = rows.map(([job, rank], row) => {
    if (row === 0 || rows[row - 1][0] !== job) lines.push({ job });
    return lines.push({ job, rank }) - 1;
  });
  return { lines, line_of_row };
}

export function job_timeline(data) {
  if (!data.timeline) return undefined;
  const { rows, phases, spans, makespan_s, from_s, until_s } = data.timeline;
  const { jobs } = data;
  const { lines, line_of_row } = lines_of(rows);
  reserve_for(phases.map(({ kind }) => kind));
  const line_height = (narrow) => (lines.length > 30 ? (narrow ? 9 : 12) : narrow ? 16 : 20);
  const title_of = (job) => `${name_of(job)}: ${jobs[job].name}, nodes ${jobs[job].nodes}`;

  const bars = spans.map(([row, phase, start, end]) => [start, line_of_row[row], end, phase]);
  /** The stripe of every line, and the names. */
  const job_series = (now) => ({
    name: 'jobs',
    type: 'custom',
    silent: true,
    // From end to end, so that no part of the time is without it.
    data: lines.map(({ job }, line) => [from_s, line, until_s, job]),
    encode: { x: [0, 2], y: 1 },
    renderItem: ({ coordSys }, api) => {
      const line = api.value(1);
      const [, middle] = api.coord([from_s, line]);
      const height = api.size([0, 1])[1];
      const fill = now.series(api.value(3));
      const stripe = {
        type: 'rect',
        shape: { x: coordSys.x - 7, y: middle - height / 2, width: 5, height: height + 0.5 },
        style: { fill },
      };
      if (lines[line].rank !== undefined) return stripe;
      return {
        type: 'group',
        children: [
          stripe,
          {
            type: 'text',
            style: {
              x: coordSys.x,
              y: middle,
              text: title_of(lines[line].job),
              fill: now.text,
              font: `${Math.min(12, height)}px system-ui, sans-serif`,
              verticalAlign: 'middle',
              width: coordSys.width,
              overflow: 'truncate',
            },
          },
        ],
      };
    },
  });
  const drawn = chart(
    'Ranks of all jobs from top to bottom, simulated time from left to right. The stripe on the left says which job a rank is of. The buttons and the slider below the axis choose which part of the time is drawn.',
    (narrow) => 110 + lines.length * line_height(narrow),
    () =>
      `Timeline of ${format.counted(rows.length, 'rank')} of ${format.counted(jobs.length, 'job')} over ${format.seconds(until_s - from_s)}: ` +
      `${phases.map((phase) => phase.name).join(', ')}.`,
    ({ colours: now, narrow }) => ({
      grid: { left: 64, right: 20, top: 8, bottom: 88 },
      tooltip: tooltip(now, ({ value }) => {
        const { job, rank } = lines[value[1]];
        return `${name_of(job)}, rank ${rank}, ${format.escaped(phases[value[3]].name)}<br>${format.seconds(value[2] - value[0])}, from ${format.seconds(value[0])}`;
      }),
      dataZoom: time_zoom(now),
      xAxis: time_axis_of(now, from_s, until_s),
      yAxis: axis(now, {
        type: 'category',
        inverse: true,
        data: lines.map(({ rank }) => (rank === undefined ? '' : String(rank))),
        name: 'rank of its job',
        nameGap: 46,
        axisLine: { show: false },
        axisTick: { show: false },
        // A label is higher than a line of many.
        axisLabel: { margin: 12, interval: (line) => line % Math.ceil(16 / line_height(narrow)) === 0 },
      }),
      series: [span_series(now, phases, bars), job_series(now)],
    }),
  );
  const ranks = jobs.reduce((sum, job) => sum + job.ranks, 0);
  const some = [
    ...(until_s - from_s < makespan_s
      ? [
          `Drawn is the time from ${format.seconds(from_s)} to ${format.seconds(until_s)} of ${format.seconds(makespan_s)}, around the moment when the last job begins.`,
        ]
      : []),
    ...(rows.length < ranks
      ? [`${format.count(rows.length)} of ${format.counted(ranks, 'rank')} are drawn, those of a job at equal distances.`]
      : []),
  ];
  return {
    id: 'timeline',
    heading: 'Timeline',
    shows: `What the ranks of all jobs do at what time, while the jobs run together. Where a job waits longer than it does alone, the others hold it up. ${some.join(' ')}`,
    source: `Simulated on ${data.platforms[0].name}, all jobs in one simulation.`,
    parts: [
      zoom_buttons(drawn, from_s, until_s),
      legend_of(phases, spans.map(([, phase, start, end]) => [phase, end - start])),
      drawn,
      details_table(
        'Phases of the drawn ranks (the first 1,000)',
        ['job', 'rank', 'phase', 'from', 'to'],
        () =>
          spans
            .slice(0, 1000)
            .map(([row, phase, start, end]) => [
              name_of(rows[row][0]),
              `${rows[row][1]}`,
              phases[phase].name,
              format.seconds(start),
              format.seconds(end),
            ]),
        3,
      ),
    ],
  };
}
