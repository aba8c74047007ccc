// How much of the ranks' time is work, and to what the rest is lost: the tree of POP's efficiencies.

import { chart, tooltip } from '../chart.js';
import { table } from '../dom.js';
import * as format from '../format.js';

/** @param share  null where there is none: no rank works, or no time passes */
const percent = (share) => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);

/** [name, key, x, y, what it is multiplied into, what it means]; x and y count boxes and rows. */
const factors = [
  ['parallel efficiency', 'parallel', 1, 0, undefined, 'work of all ranks, of the time of all ranks'],
  ['load balance', 'load_balance', 0, 1, 'parallel', 'mean work of a rank, of the most work of a rank'],
  ['communication', 'communication', 2, 1, 'parallel', 'the most work of a rank, of the time'],
  ['serialisation', 'serialisation', 1, 2, 'communication', 'the most work of a rank, of the time where the network costs nothing'],
  ['transfer', 'transfer', 3, 2, 'communication', 'the time where the network costs nothing, of the time'],
];

/** With several numbers of ranks, each answer's scalability: the work of the fewest ranks, of its own. */
function with_scalability(data, answers) {
  const fewest = (platform) =>
    answers
      .filter((answer) => answer.platform === platform)
      .reduce((least, answer) => (data.runs[answer.run].ranks < data.runs[least.run].ranks ? answer : least));
  return answers.map((answer) => {
    const scalability =
      answer.efficiency.work_s > 0 ? fewest(answer.platform).efficiency.work_s / answer.efficiency.work_s : 1;
    const { parallel } = answer.efficiency;
    return { ...answer, scalability, global: parallel === null ? null : scalability * parallel };
  });
}

export function efficiency(data) {
  const known = data.answers.filter((answer) => answer.efficiency);
  if (known.length === 0) return undefined;
  const answers = with_scalability(data, known);
  const has_several = new Set(known.map((answer) => data.runs[answer.run].ranks)).size > 1;
  const drawn = answers.find(
    (answer) => answer.run === data.focus && answer.platform === data.focus_platform,
  ) ?? answers[0];
  const value_of = (key) => (key in drawn.efficiency ? drawn.efficiency : drawn)[key];
  const boxes = has_several
    ? [
        ['global efficiency', 'global', 2, 0, undefined, 'parallel efficiency x scalability'],
        ...factors.map(([name, key, x, y, into, means]) => [name, key, x, y + 1, into ?? 'global', means]),
        ['scalability', 'scalability', 3, 1, 'global', 'work of all ranks of the run with the fewest ranks, of the work of all ranks'],
      ]
    : factors;
  const rows = Math.max(...boxes.map(([, , , y]) => y)) + 1;
  const described = () =>
    `Efficiencies: ${boxes.map(([name, key]) => `${name} ${percent(value_of(key))}`).join(', ')}.`;
  const where = (answer) =>
    `${format.counted(data.runs[answer.run].ranks, 'rank')} on ${data.platforms[answer.platform].name}`;

  const tree = chart(
    `Each efficiency is the product of the two below it. Of ${where(drawn)}.`,
    (narrow) => (narrow ? 70 : 84) * rows,
    described,
    ({ colours: now, narrow, width }) => {
      const [box_width, box_height] = [Math.min(190, width / 4 - 10), narrow ? 40 : 48];
      const place_of = new Map(boxes.map(([, key, x, y]) => [key, [x, y]]));
      const drawn_box = (_, api) => {
        const [name, key, x, y, into] = boxes[api.value(2)];
        const [middle, top] = api.coord([x, y]);
        const value = Math.max(0, Math.min(1, value_of(key) ?? 1));
        const children = [
          {
            type: 'rect',
            shape: { x: middle - box_width / 2, y: top - box_height / 2, width: box_width, height: box_height, r: 4 },
            style: { fill: now.panel, stroke: now.series(0), lineWidth: 1 + 4 * (1 - value) },
          },
          {
            type: 'text',
            x: middle,
            y: top,
            style: {
              text: `${name}\n${percent(value_of(key))}`,
              fill: now.text,
              fontSize: narrow ? 10 : 13,
              lineHeight: narrow ? 14 : 18,
              align: 'center',
              verticalAlign: 'middle',
              width: box_width - 6,
              overflow: 'break',
            },
          },
        ];
        if (into) {
          const [above, bottom] = api.coord(place_of.get(into));
          children.unshift({
            type: 'line',
            shape: { x1: middle, y1: top - box_height / 2, x2: above, y2: bottom + box_height / 2 },
            style: { stroke: now.muted, lineWidth: 1.5 },
          });
        }
        return { type: 'group', children };
      };
      const hidden = (most) => ({ type: 'value', show: false, min: 0, max: most });
      return {
        grid: { left: box_width / 2 + 4, right: box_width / 2 + 4, top: box_height / 2 + 6, bottom: box_height / 2 + 6 },
        tooltip: tooltip(now, ({ dataIndex }) => {
          const [name, key, , , , means] = boxes[dataIndex];
          return `${name}: ${percent(value_of(key))}<br>${means}`;
        }),
        xAxis: hidden(3),
        yAxis: { ...hidden(rows - 1), inverse: true },
        series: [
          { type: 'custom', renderItem: drawn_box, data: boxes.map(([, , x, y], index) => [x, y, index]) },
        ],
      };
    },
  );
  // Communication, the product of the last two, would make the table too wide.
  const of_regions = factors.filter(([, key]) => key !== 'communication');
  const columns = ['platform', 'ranks', ...factors.map(([name]) => name), ...(has_several ? ['scalability', 'global'] : [])];
  return {
    id: 'efficiency',
    heading: 'Efficiency',
    shows:
      'How much of the ranks’ time is work. Load balance falls where ranks differ in their work; serialisation where they wait for one another for other reasons; transfer where the network takes time. ' +
      (has_several
        ? 'Scalability compares the work of all ranks with that of the run with the fewest ranks. It needs runs of one problem. Instructions are not counted, so it is not divided further. '
        : '') +
      'A thick border is a large loss.',
    source: `Simulated. A region is the calls of a function or place, each with the work before it; its factors are those of the ranks that call there. Its time is that of the rank that spends the most there. A second simulation of the same recording has a network that costs nothing.`,
    parts: [
      tree,
      table(
        'Efficiencies',
        columns,
        answers.map((answer) => [
          data.platforms[answer.platform].name,
          format.count(data.runs[answer.run].ranks),
          ...factors.map(([, key]) => percent(answer.efficiency[key])),
          ...(has_several ? [percent(answer.scalability), percent(answer.global)] : []),
        ]),
        1,
      ),
      table(
        'Efficiency of regions with a hundredth of the time: where most is lost first',
        ['platform', 'ranks', 'where', 'time', 'lost', ...of_regions.map(([name]) => name)],
        answers.flatMap((answer) =>
          answer.efficiency.regions.filter((region) => region.share >= 0.01).map((region) => [
            data.platforms[answer.platform].name,
            format.count(data.runs[answer.run].ranks),
            region.region,
            percent(region.share),
            percent(region.lost),
            ...of_regions.map(([, key]) => percent(region[key])),
          ]),
        ),
        3,
      ),
    ],
  };
}
