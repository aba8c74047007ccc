// How busy the network is.

import { axis, chart, long_names, row_px, rows_axis, tooltip } from '../chart.js';
import { details_table } from '../dom.js';
import * as format from '../format.js';
import { neighbours_on_a_node } from '../nodes.js';
import { heat } from '../theme.js';

const percent = (share) => `${(100 * share).toPrecision(3)} %`;
const most_vertices = 128;
const most_pieces = 8;

export const most_bars = 24;
export const label = (link) => (link.node < 0 ? link.name : `node ${link.node}, ${link.name}`);
/** What the bars are. @param all_links how many there are, drawn or not */
export const shares_of = (bars, all_links) =>
  `${bars.length < all_links ? `The ${bars.length} busiest of ${format.count(all_links)} links` : `The ${format.count(all_links)} links`} that bytes crossed, by the share of their bandwidth that was used.`;
export const share_axis = (now) =>
  axis(now, {
    type: 'value',
    name: 'share of the bandwidth',
    nameGap: 26,
    axisLabel: { formatter: (value) => `${value} %` },
  });

function topology(data, nodes) {
  const { fabric_links } = data.links;
  const run = data.runs[data.focus];
  const busiest = Math.max(...nodes.map(([, used]) => used), 1e-12);
  const drawn = [...nodes]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most_vertices)
    .sort((a, b) => a[0] - b[0]);
  const crossed =
    fabric_links === 0
      ? 'bytes crossed the nodes’ own links only'
      : `bytes crossed ${format.count(fabric_links)} of its links`;
  const place = (index, radius) => {
    const angle = (2 * Math.PI * index) / drawn.length - Math.PI / 2;
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  };
  const ranks_of = (node) => {
    const pieces = neighbours_on_a_node(run.nodes_of_ranks)
      .filter(([first]) => run.nodes_of_ranks[first] === node)
      .map(([first, ranks]) => (ranks === 1 ? `${first}` : `${first}–${first + ranks - 1}`));
    return `ranks ${pieces.slice(0, most_pieces).join(', ')}${pieces.length > most_pieces ? ', …' : ''}`;
  };
  const left_out =
    drawn.length < nodes.length
      ? ` The ${drawn.length} busiest of ${format.count(nodes.length)} nodes are drawn.`
      : '';
  return chart(
    `The nodes around the network's fabric (${crossed}). The busier a node's link is, the thicker and stronger in colour is its line.${left_out}`,
    (narrow) => (narrow ? 340 : 460),
    () =>
      `${drawn.length} nodes around the fabric. Busiest link of a node: ${percent(busiest)} of its bandwidth.`,
    ({ colours: now, narrow }) => ({
      tooltip: tooltip(now, ({ data: item }) => item.said ?? ''),
      series: [
        {
          type: 'graph',
          layout: 'none',
          roam: false,
          preserveAspect: true,
          top: 24,
          bottom: 24,
          left: 24,
          right: 24,
          label: {
            show: drawn.length <= (narrow ? 32 : 64),
            color: now.text,
            fontSize: 10,
            position: 'inside',
          },
          data: [
            {
              id: 'fabric',
              name: 'fabric',
              x: 0,
              y: 0,
              symbolSize: narrow ? 44 : 60,
              itemStyle: { color: now.panel, borderColor: now.muted, borderWidth: 1 },
              label: { show: true, fontSize: 12 },
              said: `fabric: ${crossed}`,
            },
            ...drawn.map(([node, used], index) => ({
              id: `${node}`,
              name: `${node}`,
              ...place(index, 100),
              symbolSize: drawn.length > 32 ? 16 : 24,
              itemStyle: { color: now.panel, borderColor: heat(used / busiest), borderWidth: 3 },
              said: `node ${node}, ${ranks_of(node)}<br>busiest link: ${percent(used)} of its bandwidth`,
            })),
          ],
          links: drawn.map(([node, used]) => ({
            source: `${node}`,
            target: 'fabric',
            said: `node ${node}: ${percent(used)}`,
            lineStyle: { color: heat(used / busiest), width: 1 + (5 * used) / busiest, opacity: 1 },
          })),
        },
      ],
    }),
  );
}

export function links(data) {
  if (!data.links || data.links.links.length === 0) return undefined;
  const { links: busiest, all_links, nodes } = data.links;
  const bars = busiest.slice(0, most_bars);
  const drawn = chart(
    shares_of(bars, all_links),
    (narrow) => 60 + bars.length * row_px(narrow),
    () =>
      `Use of links. ${bars
        .slice(0, 8)
        .map((link) => `${label(link)}: ${percent(link.used)}.`)
        .join(' ')}`,
    ({ colours: now, narrow, width }) => ({
      grid: { left: 8, right: 64, top: 8, bottom: 20, containLabel: true },
      tooltip: tooltip(now, ({ dataIndex }) => {
        const link = bars[dataIndex];
        return `${format.escaped(label(link))}<br>${format.bytes(link.bytes)} of ${format.bandwidth(link.bandwidth_bytes_per_s)}: ${percent(link.used)}`;
      }),
      xAxis: share_axis(now),
      yAxis: rows_axis(now, narrow, long_names(bars.map(label), narrow, width), width),
      series: [
        {
          type: 'bar',
          barMaxWidth: 14,
          label: {
            show: true,
            position: 'right',
            color: now.text,
            formatter: ({ dataIndex }) => percent(bars[dataIndex].used),
          },
          data: bars.map((link) => ({
            value: 100 * link.used,
            itemStyle: { color: now.series(link.node < 0 ? 3 : 0) },
          })),
        },
      ],
    }),
  );
  return {
    id: 'links',
    heading: 'Links and network cards',
    shows:
      'How much of its bandwidth each link used, on average over the simulated time. ' +
      (data.links.fabric_links > 0 ? 'Blue bars are links of nodes, pink bars are links of the fabric. ' : '') +
      'Where all shares are small, messages cost their latencies, and a higher bandwidth would gain little.',
    source: `Simulated on ${data.platforms[data.focus_platform].name}${format.drawn_iterations(data)}. A share is the bytes that crossed the link / (its bandwidth × ${format.seconds(data.links.makespan_s)}).`,
    parts: [
      ...(nodes.length > 1 ? [topology(data, nodes)] : []),
      drawn,
      details_table(`The ${busiest.length} busiest links`, ['link', 'bytes', 'bandwidth', 'used'], () =>
        busiest.map((link) => [
          label(link),
          format.bytes(link.bytes),
          format.bandwidth(link.bandwidth_bytes_per_s),
          percent(link.used),
        ]),
      ),
    ],
  };
}
