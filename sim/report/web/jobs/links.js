// How busy the network is, and which jobs make it so.

import { chart, legend_above, long_names, row_px, rows_axis, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';
import { label, most_bars, share_axis, shares_of } from '../sections/links.js';
import { name_of } from './times.js';

const percent = (share) => (share === 0 ? '–' : `${(100 * share).toPrecision(3)} %`);

export function job_links(data) {
  if (!data.links || data.links.links.length === 0) return undefined;
  const { links: busiest, all_links } = data.links;
  const bars = busiest.slice(0, most_bars);
  const users = data.jobs
    .map((_, job) => job)
    .filter((job) => bars.some((link) => link.used_by_jobs[job] > 0));
  const shared = busiest.filter((link) => link.used_by_jobs.filter((used) => used > 0).length > 1).length;
  const drawn = chart(
    `${shares_of(bars, all_links)} Each colour is the part of one job.`,
    (narrow) => 84 + bars.length * row_px(narrow),
    () =>
      `Use of links by ${format.counted(users.length, 'job')}. ${bars
        .slice(0, 8)
        .map((link) => `${label(link)}: ${percent(link.used)}.`)
        .join(' ')}`,
    ({ colours: now, narrow, width }) => {
      const series = users.map((job, place) => ({
        name: name_of(job),
        type: 'bar',
        stack: 'link',
        barMaxWidth: 14,
        itemStyle: { color: now.series(job) },
        data: bars.map((link) => 100 * link.used_by_jobs[job]),
        label: {
          show: place === users.length - 1,
          position: 'right',
          color: now.text,
          formatter: ({ dataIndex }) => percent(bars[dataIndex].used),
        },
      }));
      const { legend, top } = legend_above(now, series, width, 16);
      return {
        grid: { left: 8, right: 64, top, bottom: 20, containLabel: true },
        legend,
        tooltip: tooltip(now, ({ dataIndex, seriesName, seriesIndex }) => {
          const link = bars[dataIndex];
          return (
            `${format.escaped(label(link))}<br>${seriesName}: ${percent(link.used_by_jobs[users[seriesIndex]])}` +
            `<br>all: ${format.bytes(link.bytes)} of ${format.bandwidth(link.bandwidth_bytes_per_s)}, ${percent(link.used)}`
          );
        }),
        xAxis: share_axis(now),
        yAxis: rows_axis(now, narrow, long_names(bars.map(label), narrow, width), width),
        series,
      };
    },
  );
  return {
    id: 'links',
    heading: 'Links and network cards',
    shows:
      'How much of its bandwidth each link used while the jobs ran together, on average, and how much of that was which job’s. ' +
      (shared === 0
        ? 'No link that is drawn carried bytes of more than one job.'
        : `${format.counted(shared, 'link')} ${busiest.length < all_links ? `of the ${busiest.length} busiest ` : ''}carried bytes of more than one job: there, jobs can slow each other.`),
    source: `Simulated on ${data.platforms[0].name}. A share is the bytes that crossed the link / (its bandwidth × ${format.seconds(data.links.makespan_s)}).`,
    parts: [
      drawn,
      details_table(
        `The ${busiest.length} busiest links`,
        ['link', 'bytes', 'bandwidth', 'used', ...data.jobs.map((_, job) => `by ${name_of(job)}`)],
        () =>
          busiest.map((link) => [
            label(link),
            format.bytes(link.bytes),
            format.bandwidth(link.bandwidth_bytes_per_s),
            percent(link.used),
            ...link.used_by_jobs.map(percent),
          ]),
      ),
    ],
  };
}
