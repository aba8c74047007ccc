// A chart of the page: drawn as SVG, redrawn when its width or the theme changes, with a text for those who do not see it.

import * as echarts from 'echarts/core';
import { BarChart, CustomChart, GraphChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { element } from './dom.js';
import * as format from './format.js';
import { colours, on_theme } from './theme.js';

echarts.use([
  BarChart,
  CustomChart,
  GraphChart,
  LineChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  SVGRenderer,
]);

const narrow_px = 560;
const waiting = [];

/**
 * A figure with one chart.
 * @param caption   what the axes and marks are
 * @param height    pixels, or a function of whether the page is narrow
 * @param describe  the text alternative, as a function
 * @param option    ECharts options, as a function of {colours, narrow}
 * @return the figure, with redraw() and the ECharts instance as `chart`
 */
export function chart(caption, height, describe, option) {
  const box = element('div', { class: 'chart', role: 'img' });
  const figure = element('figure', {}, box, element('figcaption', {}, caption));
  let drawn_width = 0;
  figure.redraw = () => {
    const narrow = box.clientWidth < narrow_px;
    box.style.height = `${typeof height === 'function' ? height(narrow) : height}px`;
    box.setAttribute('aria-label', describe());
    figure.chart ??= echarts.init(box, null, { renderer: 'svg' });
    figure.chart.resize();
    const now = colours();
    figure.chart.setOption({ ...common(now), ...option({ colours: now, narrow }) }, { notMerge: true });
    box.dataset.items = items_of(figure.chart.getOption().series);
    drawn_width = box.clientWidth;
  };
  on_theme(() => figure.chart && figure.redraw());
  new ResizeObserver(() => {
    if (figure.chart && box.clientWidth !== drawn_width) figure.redraw();
  }).observe(box);
  waiting.push(figure);
  return figure;
}

/** What the series draw, edges of a graph included. */
const items_of = (series) =>
  series.reduce((sum, { data, links }) => sum + data.length + (links?.length ?? 0), 0);

/** Draws what was made, once it is on the page and has a width. */
export function draw_all() {
  waiting.splice(0).forEach((figure) => figure.redraw());
}

function common(now) {
  return {
    animation: false,
    textStyle: { color: now.text, fontFamily: 'system-ui, sans-serif' },
    backgroundColor: 'transparent',
  };
}

/** Options that most charts share. */
export function axis(now, more) {
  return {
    nameLocation: 'middle',
    nameTextStyle: { color: now.muted },
    axisLine: { show: true, lineStyle: { color: now.line } },
    axisTick: { lineStyle: { color: now.line } },
    axisLabel: { color: now.muted, hideOverlap: true, ...more.axisLabel },
    splitLine: { lineStyle: { color: now.line, opacity: 0.4 } },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'axisLabel')),
  };
}

/** @param gap  pixels from the axis to its name, which clear the labels */
export const time_axis = (now, type, gap, data) =>
  axis(now, {
    type,
    name: `time of ${format.whole(data)}`,
    nameGap: gap,
    axisLabel: { formatter: format.seconds },
  });

export const legend = (now, more = {}) => ({
  type: 'scroll',
  top: 0,
  left: 0,
  right: 0,
  textStyle: { color: now.text },
  pageTextStyle: { color: now.text },
  pageIconColor: now.text,
  inactiveColor: now.line,
  itemWidth: 28,
  ...more,
});

export const tooltip = (now, formatter, more = {}) => ({
  confine: true,
  backgroundColor: now.panel,
  borderColor: now.line,
  textStyle: { color: now.text, fontSize: 13 },
  formatter,
  ...more,
});
