// The page of several jobs on one machine.

import * as format from '../format.js';
import { job_links } from './links.js';
import { job_timeline } from './timeline.js';
import { slowest_of, times } from './times.js';

const heading_of = (data) =>
  `${format.counted(data.jobs.length, 'job')} at the same time on ${data.platforms[0].name}`;

function summary_of(data) {
  const slowest = slowest_of(data);
  const most =
    slowest === undefined
      ? ''
      : ` ${slowest.slow_down < 1.0005 ? 'No job is slowed by the others.' : `${slowest.name} is slowed most: beside the others it takes ${format.ratio(slowest.slow_down)} times as long as alone.`}`;
  return `Each job is simulated alone on its nodes, and then all of them in one simulation.${most}`;
}

export const jobs_page = {
  title: (data) => `${heading_of(data)} – finegrain report`,
  heading: heading_of,
  summary: summary_of,
  notes: (data) => data.notes,
  footer: (data) => [
    ...data.platforms.map(
      (it) =>
        `${it.name}: memory ${format.bandwidth(it.memory_bandwidth_bytes_per_s)} a node, ` +
        `${format.bandwidth(it.memory_bandwidth_per_core_bytes_per_s)} a core`,
    ),
    'Measured: nobody ran these jobs together. Closed form: there is none, because the equations know one job alone.',
  ],
  sections: [times, job_timeline, job_links],
};
