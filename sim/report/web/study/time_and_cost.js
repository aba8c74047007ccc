// Time against node-hours or energy, and the points that are best at one or both.

import { axis, chart, legend_above, log_axis, tooltip } from '../chart.js';
import { element, menu, table } from '../dom.js';
import * as format from '../format.js';
import { cost_of, front_of, name_of_time, view_of } from './view.js';

const marks = ['circle', 'rect', 'triangle', 'diamond'];
const most_colours = 24;
const costs = {
  node_hours: { name: 'node-hours', least: 'fewest node-hours', format: format.node_hours },
  joules: { name: 'energy', least: 'least energy', format: format.joules },
};

const value_text = (value) =>
  typeof value === 'number' ? format.count(value) : value === null ? 'none' : String(value);

/** What the point is called: its value on every axis. */
const name_of = (study, point) =>
  study.axes.map((name, number) => `${name} ${value_text(point.values[number])}`).join(', ') ||
  `point ${point.number}`;

/** A logarithmic axis where the numbers differ by more than a factor of ten. */
function scale_of(now, numbers, more) {
  const is_wide = Math.max(...numbers) > 10 * Math.min(...numbers);
  return is_wide ? log_axis(now, numbers, more) : axis(now, { type: 'value', scale: true, ...more });
}

function controls_of(data, view, colour) {
  const { study } = data;
  const every = [];
  if (view.times.length > 1)
    every.push(menu('Time', view.times.map(name_of_time), 0, (at) => view.set({ time: view.times[at] })));
  if (view.has_energy) {
    const keys = Object.keys(costs);
    every.push(menu('Cost', keys.map((key) => costs[key].name), 0, (at) => view.set({ cost: keys[at] })));
  }
  if (colour.axes.length > 0) {
    every.push(
      menu(
        'Colours',
        [...colour.axes.map((number) => study.axes[number]), 'none'],
        0,
        (at) => {
          colour.axis = colour.axes[at];
          view.set({});
        },
      ),
    );
  }
  const filters = study.axes.map((name, number) =>
    menu(name, ['all', ...view.values[number].map(value_text)], 0, (at) =>
      view.filter(number, at === 0 ? undefined : view.values[number][at - 1]),
    ),
  );
  return [
    element('div', { class: 'controls' }, ...every),
    ...(filters.length > 0 ? [element('h3', {}, 'Show only'), element('div', { class: 'controls', id: 'filters' }, ...filters)] : []),
  ];
}

/** A series for each value of the axis that colours stand for. */
function groups_of(view, points, colour, axes) {
  if (colour.axis === undefined) return [{ name: 'points', number: 0, points }];
  return view.values[colour.axis]
    .map((value, number) => ({
      // A number alone would not say what it counts.
      name: typeof value === 'string' ? value : `${axes[colour.axis]}: ${value_text(value)}`,
      number,
      points: points.filter((point) => point.values[colour.axis] === value),
    }))
    .filter((group) => group.points.length > 0);
}

const between = 'between';

/** "fastest" and "fewest node-hours", of the points of a front. */
function titles_of(view, front) {
  const titles = new Map(front.map((point) => [point, []]));
  titles.get(front[0])?.push('fastest');
  titles.get(front.at(-1))?.push(costs[view.cost].least);
  return new Map([...titles].map(([point, words]) => [point, words.join(', ') || between]));
}

export function time_and_cost(data) {
  const { study } = data;
  const view = view_of(data);
  const axes = study.axes
    .map((_, number) => number)
    .filter((number) => view.values[number].length > 1 && view.values[number].length <= most_colours);
  const colour = { axes, axis: axes[0] };

  const describe = () => {
    const front = front_of(view, view.points());
    const titles = titles_of(view, front);
    return `Time against ${costs[view.cost].name} of ${format.count(view.points().length)} points. ${front
      .map(
        (point) =>
          `${titles.get(point)}: ${name_of(study, point)}, ${format.seconds(point[view.time])}, ` +
          `${costs[view.cost].name} ${costs[view.cost].format(cost_of(view, point))}.`,
      )
      .join(' ')}`;
  };
  const drawn = chart(
    'Each mark is a point of the study. Lower is faster, further left is cheaper. The line joins the points that no other point beats in both time and cost (the Pareto front).',
    (narrow) => (narrow ? 400 : 460),
    describe,
    ({ colours: now, width }) => {
      const points = view.points();
      const cost = costs[view.cost];
      const front = front_of(view, points);
      const titles = titles_of(view, front);
      const place = (point) => [cost_of(view, point), point[view.time]];
      const series = [
        ...groups_of(view, points, colour, study.axes).map((group) => ({
          name: group.name,
          type: 'scatter',
          symbol: marks[Math.floor(group.number / 6) % marks.length],
          symbolSize: 9,
          itemStyle: { color: now.series(group.number), opacity: 0.8 },
          data: group.points.map((point) => ({ value: place(point), point })),
        })),
        {
          name: 'Pareto front',
          type: 'line',
          // A ring, through which the colour of its point is seen.
          symbol: 'circle',
          symbolSize: 15,
          itemStyle: { color: 'transparent', borderColor: now.text, borderWidth: 2 },
          lineStyle: { color: now.muted, type: 'dashed', width: 1.5 },
          data: front.map((point) => ({
            value: place(point),
            point,
            label: {
              show: titles.get(point) !== between,
              formatter: titles.get(point),
              color: now.text,
              position: point === front.at(-1) ? 'right' : 'left',
            },
          })),
        },
      ];
      const { legend, top } = legend_above(now, series, width, 20);
      return {
        grid: { left: 70, right: 30, top, bottom: 52 },
        legend,
        tooltip: tooltip(
          now,
          ({ data: { point } }) =>
            `${study.axes.map((name, number) => `${format.escaped(name)}: ${format.escaped(value_text(point.values[number]))}`).join('<br>')}` +
            `<br>${format.seconds(point[view.time])}, ${cost.name} ${cost.format(cost_of(view, point))}`,
        ),
        xAxis: scale_of(now, points.map((point) => cost_of(view, point)), {
          name: cost.name,
          nameGap: 30,
          nameLocation: 'middle',
          axisLabel: { formatter: cost.format },
        }),
        yAxis: scale_of(now, points.map((point) => point[view.time]), {
          name: `${name_of_time(view.time)} time`,
          nameGap: 54,
          axisLabel: { formatter: format.seconds },
        }),
        series,
      };
    },
  );

  const of_nodes = study.axes.includes('nodes') ? [] : ['nodes'];
  const best = element('div', { id: 'best-points' });
  const fill = () => {
    const front = front_of(view, view.points());
    const titles = titles_of(view, front);
    best.replaceChildren(
      front.length === 0
        ? element('p', {}, 'No point of the study has all of these values.')
        : table(
            'The points that no other point beats, the fastest first',
            ['best', ...study.axes, ...of_nodes, `${name_of_time(view.time)} time`, costs[view.cost].name],
            front.map((point) => [
              titles.get(point),
              ...point.values.map(value_text),
              ...of_nodes.map(() => format.count(point.nodes)),
              format.seconds(point[view.time]),
              costs[view.cost].format(cost_of(view, point)),
            ]),
          ),
    );
  };
  view.on_change(() => {
    drawn.redraw();
    fill();
  });
  fill();
  return {
    id: 'time-and-cost',
    heading: 'Time and cost',
    shows:
      `How long each point takes, and what it costs: nodes × time${view.has_energy ? ', or energy' : ''}. ` +
      'More nodes are often faster, and nearly always cost more.',
    source:
      'Simulated: a replay on each platform. Closed form: the equations of Lagravière et al. 2019. Node-hours: the nodes in use × the time of all iterations, in hours.',
    parts: [...controls_of(data, view, colour), drawn, best],
  };
}
