// How long each job takes alone, and how long beside the others.

import { axis, chart, legend_above, long_names, row_px, rows_axis, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

const most_letters = 48; // those of what a job is, in the table: a recorded program may have a long path

export const name_of = (number) => `job ${number + 1}`;
const label_of = (job, number) => `${name_of(number)}: ${job.name}`;
const slow_down_of = ({ alone_s, together_s }) => (alone_s > 0 ? together_s / alone_s : undefined);

/** {name, slow_down} of the job that the others slow most; undefined where none takes any time. */
export function slowest_of(data) {
  return data.jobs
    .map((job, number) => ({ name: `Job ${number + 1}`, slow_down: slow_down_of(job) }))
    .filter(({ slow_down }) => slow_down !== undefined)
    .reduce((most, job) => (most && most.slow_down >= job.slow_down ? most : job), undefined);
}

export function times(data) {
  const { jobs } = data;
  const slow_down = (job) => format.or(format.ratio, slow_down_of(job));
  const describe = () =>
    `Seconds of each job. ${jobs
      .map(
        (job, number) =>
          `${label_of(job, number)}: alone ${format.seconds(job.alone_s)}, together ${format.seconds(job.together_s)}.`,
      )
      .join(' ')}`;
  const drawn = chart(
    'Two bars for each job: its time alone, and its time together with the others. The number behind them is the slow-down.',
    (narrow) => 90 + jobs.length * (row_px(narrow) + 20),
    describe,
    ({ colours: now, narrow, width }) => {
      const bars = (name, key, color, more = {}) => ({
        name,
        type: 'bar',
        barWidth: narrow ? 8 : 12,
        barGap: '20%',
        itemStyle: { color },
        data: jobs.map((job) => job[key]),
        ...more,
      });
      const series = [
        bars('alone', 'alone_s', now.muted),
        bars('together', 'together_s', now.simulated, {
          label: {
            show: true,
            position: 'right',
            color: now.text,
            formatter: ({ dataIndex }) => `× ${slow_down(jobs[dataIndex])}`,
          },
        }),
      ];
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 12, right: 70, top, bottom: 20, containLabel: true },
        legend,
        tooltip: tooltip(
          now,
          ({ dataIndex, seriesName, value }) =>
            `${format.escaped(label_of(jobs[dataIndex], dataIndex))}<br>${seriesName}: ${format.seconds(value)}`,
        ),
        xAxis: axis(now, {
          type: 'value',
          name: 'simulated time',
          nameGap: 26,
          axisLabel: { formatter: format.seconds },
        }),
        yAxis: rows_axis(now, narrow, long_names(jobs.map(label_of), narrow, width), width),
        series,
      };
    },
  );
  return {
    id: 'alone-and-together',
    heading: 'Alone and together',
    shows:
      'How long each job takes alone on its nodes, and how long it takes while the others run on theirs. ' +
      'The slow-down is the second time divided by the first. It is above 1 where jobs want the same links, or the memory of the same node, at the same time.',
    source: `Simulated on ${data.platforms[0].name}. The time of a job goes from its start to the end of its last rank.`,
    parts: [
      drawn,
      table(
        'Time of each job, from its start to the end of its last rank',
        ['job', 'what', 'nodes', 'ranks', 'start', 'alone', 'together', 'slow-down'],
        jobs.map((job, number) => [
          name_of(number),
          format.shortened(job.name, most_letters),
          job.nodes,
          format.count(job.ranks),
          format.seconds(job.start_s),
          format.seconds(job.alone_s),
          format.seconds(job.together_s),
          slow_down(job),
        ]),
        3,
      ),
    ],
  };
}
