// The page of a study: its points by time and by what they cost.

import * as format from '../format.js';
import { points } from './points.js';
import { time_and_cost } from './time_and_cost.js';

function summary_of({ study }) {
  const simulated = study.points.filter((point) => point.simulated_s !== undefined).length;
  const of_axes = study.axes.length > 0 ? ` They differ in: ${study.axes.join(', ')}.` : '';
  return `${format.count(study.points.length)} points, ${format.count(simulated)} of them simulated.${of_axes} ${study.points.some((point) => point.slow_down !== undefined) ? 'A time goes from the first job’s start to the end of the last one. The slow-down is that of the job that the others slow most: its time together with them, divided by its time alone.' : 'All times are of all iterations.'}`;
}

const footer_of = ({ study }) => [
  ...study.simulated_by.map((program) => `Simulated by ${program}.`),
  ...(study.points.some((point) => point.closed_form_s !== undefined) ? study.closed_form_by : []).map(
    (program) => `Closed form: Lagravière et al. 2019, eqs. (5)–(22), computed by ${program} (docs/model.md).`,
  ),
];

export const study_page = {
  title: (data) => `${data.study.name} – finegrain report`,
  heading: (data) => data.study.name,
  summary: summary_of,
  notes: (data) => data.notes,
  footer: footer_of,
  sections: [time_and_cost, points],
};
