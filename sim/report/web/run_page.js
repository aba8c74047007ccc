// The page of runs: what is drawn of schedules, of recordings and of recorded programs.

import * as format from './format.js';
import { answers } from './sections/answers.js';
import { block_sizes } from './sections/block_sizes.js';
import { communication } from './sections/communication.js';
import { critical_path } from './sections/critical_path.js';
import { efficiency } from './sections/efficiency.js';
import { energy } from './sections/energy.js';
import { equations } from './sections/equations.js';
import { links } from './sections/links.js';
import { phases } from './sections/phases.js';
import { rank_times, rank_volumes } from './sections/rank_bars.js';
import { scaling } from './sections/scaling.js';
import { sensitivity } from './sections/sensitivity.js';
import { timeline } from './sections/timeline.js';
import { tolerance } from './sections/tolerance.js';

const sections = [
  answers,
  scaling,
  block_sizes,
  phases,
  efficiency,
  energy,
  communication,
  rank_times,
  rank_volumes,
  timeline,
  links,
  critical_path,
  sensitivity,
  tolerance,
  equations,
];

function summary_of(data) {
  const run = data.runs[data.focus];
  const machines = data.platforms.map((platform) => platform.name).join(', ');
  const size = run.block_size ? `, BLOCKSIZE ${format.count(run.block_size)}` : '';
  return (
    (data.is_program ? '' : `${data.problem}\n`) +
    (data.rank_bars
      ? `Where single ranks are shown, they are those of ${run.name} with ${format.counted(run.ranks, 'rank')} on ${format.counted(run.nodes, 'node')}${size}, ` +
        `on ${data.platforms[data.focus_platform].name}. `
      : 'Drawn from answers that were kept, which have no single ranks. ') +
    `Platforms: ${machines}. All times are of ${format.whole(data)}.`
  );
}

/** A note that is the same of several platforms is said once. */
function notes_of(data) {
  const platforms_of = new Map();
  for (const note of data.notes) {
    const platform = data.platforms.find(({ name }) => note.startsWith(`${name}: `))?.name;
    const text = platform ? note.slice(platform.length + 2) : note;
    platforms_of.set(text, [...(platforms_of.get(text) ?? []), ...(platform ? [platform] : [])]);
  }
  return [...platforms_of].map(([text, names]) => (names.length > 0 ? `${names.join(', ')}: ${text}` : text));
}

function footer_of(data) {
  const platform = (it) =>
    `${it.name}: memory ${format.bandwidth(it.memory_bandwidth_bytes_per_s)} a node, ` +
    `${format.bandwidth(it.memory_bandwidth_per_core_bytes_per_s)} a core` +
    (it.tau_s === undefined ? '' : `, τ ${format.seconds(it.tau_s)}`) +
    (it.remote_bandwidth_bytes_per_s === undefined
      ? ''
      : `, W_remote ${format.bandwidth(it.remote_bandwidth_bytes_per_s)}`);
  return [
    `Simulated: a replay of the messages. Network model: ${data.network_model}.`,
    data.is_program
      ? 'Closed form: there is none, because a recorded program has no equations.'
      : 'Closed form: Lagravière et al. 2019, eqs. (5)–(22), variant as_published (docs/model.md).',
    ...data.platforms.map(platform),
  ];
}

export const run_page = {
  title: (data) => `${data.problem} – finegrain report`,
  heading: (data) => data.runs[data.focus].name,
  summary: summary_of,
  notes: notes_of,
  footer: footer_of,
  sections,
};
