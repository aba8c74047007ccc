// The page of two recordings of a program, before and after a change of it: what `finegrain diff` prints, drawn.

import * as format from '../format.js';
import { causes } from './causes.js';
import { places } from './places.js';
import { ranks } from './ranks.js';

const heading_of = ({ diff }) => `${diff.before} → ${diff.after}`;

function summary_of({ diff, platforms }) {
  const what =
    diff.changed === 0 ? 'Calls, messages and bytes are the same.' : `${format.counted(diff.changed, diff.by)} changed.`;
  const where = platforms.map(({ name }) => name).join(', ');
  return `${what} ${where === '' ? 'Times are measured.' : `Platforms: ${where}.`} Differences are those of a rank, in the mean of the ranks, and add up to that of the runs.`;
}

export const diff_page = {
  title: (data) => `${heading_of(data)} – finegrain report`,
  heading: heading_of,
  summary: summary_of,
  notes: (data) => data.notes,
  footer: (data) => [
    'Measured: of one run each, which differ from run to run.',
    ...(data.platforms.length > 0 ? [`Simulated: a replay of both recordings. Network model: ${data.network_model}.`] : []),
  ],
  sections: [places, causes, ranks],
};
