// Opens reports in headless Chromium as people would: on a desktop and a phone, light and dark, with a keyboard.
//   node open_reports.js EXPECTATIONS.json SCREENSHOT_FOLDER
// EXPECTATIONS: [{"file", "sliders": [{"id", "presses", "key", "seconds"}]}]; seconds as `finegrain predict` says. Or of a study's
// page: [{"file", "study": {"points", "fastest", "cheapest", "filter", "value", "filtered"}}]; numbers of points.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');
const axe_source = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const screens = [
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];
const near = (value, expected) => Math.abs(value - expected) <= 1e-9 * Math.abs(expected);

/** A page that fails the test on any error, and on any request but for itself. */
async function opened(context, file) {
  const url = pathToFileURL(file).href;
  const page = await context.newPage();
  const trouble = [];
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && trouble.push(`console: ${message.text()}`),
  );
  page.on('pageerror', (error) => trouble.push(`page error: ${error.stack}`));
  page.on(
    'request',
    (request) =>
      request.url() !== url &&
      !request.url().startsWith('data:') &&
      trouble.push(`request of ${request.url()}`),
  );
  await page.goto(url);
  await page.waitForFunction(
    () => performance.getEntriesByName('drawn').length > 0 || document.readyState === 'complete',
  );
  const drawn_ms = await page.evaluate(() => performance.getEntriesByName('drawn')[0]?.startTime);
  assert.deepEqual(trouble, [], file);
  assert.ok(drawn_ms > 0, `${file}: not all charts were drawn`);
  return { page, trouble, drawn_ms };
}

/** Every chart has a name, and marks. @return "name of section: marks", a line each */
async function check_charts(page, where, least_charts) {
  const charts = await page.$$eval('.chart', (boxes) =>
    boxes.map((box) => ({
      section: box.closest('section').id,
      name: box.getAttribute('aria-label') ?? '',
      items: Number(box.dataset.items),
      marks: box.querySelectorAll('svg path, svg rect, svg circle, svg polyline, svg polygon, svg line')
        .length,
    })),
  );
  assert.ok(charts.length >= least_charts, `${where}: only ${charts.length} charts`);
  for (const chart of charts) {
    assert.ok(chart.name.length > 20, `${where}: the chart of ${chart.section} has no text alternative`);
    assert.ok(!/NaN|undefined|Infinity/.test(chart.name), `${where}: ${chart.section}: ${chart.name}`);
    assert.ok(chart.items > 0, `${where}: the chart of ${chart.section} is empty`);
    // A line is one mark of many items, with a symbol each where it has symbols.
    assert.ok(
      chart.marks >= chart.items / 2,
      `${where}: the chart of ${chart.section} has ${chart.marks} marks for ${chart.items} items`,
    );
  }
  const text = await page.innerText('body');
  assert.ok(
    !/\b(NaN|undefined|Infinity)\b/.test(text),
    `${where}: ${text.match(/.{0,80}\b(NaN|undefined|Infinity)\b.{0,40}/)?.[0]}`,
  );
  return charts.map(({ section, marks }) => `${section} ${marks}`).join(', ');
}

async function check_accessibility(page, where) {
  await page.evaluate(axe_source);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  const violations = found.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => node.html.slice(0, 160))
        .join(' | ')}`,
  );
  assert.deepEqual(violations, [], where);
}

async function check_width(page, where) {
  const [content, window_width] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(content <= window_width, `${where}: ${content} px wide on a page of ${window_width}`);
}

/** Every control can be reached with the Tab key. */
async function check_keyboard(page, where) {
  const controls = await page.$$eval('button, select, input[type=range], summary', (all) => all.length);
  const reached = new Set();
  await page.evaluate(() => window.scrollTo(0, 0));
  for (let press = 0; press < 40 + 3 * controls; ++press) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const all = [...document.querySelectorAll('button, select, input[type=range], summary')];
      return all.indexOf(document.activeElement);
    });
    if (at >= 0) reached.add(at);
  }
  assert.equal(reached.size, controls, `${where}: controls that the Tab key reaches`);
}

/** The page's closed form is the program's, where the sliders begin and where they are moved to. */
async function check_sliders(page, sliders, where) {
  const total = () => page.$eval('#formula-total', (output) => Number(output.dataset.seconds));
  const { formula } = await page.$eval('#data', (script) => JSON.parse(script.textContent));
  if (!formula) return assert.deepEqual(sliders, [], `${where}: there are no equations`);
  const embedded = formula.choices.find((choice) => choice.own).total_s;
  assert.ok(
    near(await total(), embedded),
    `${where}: ${await total()} s on the page, ${embedded} s by the program`,
  );
  for (const { id, presses, key, seconds } of sliders) {
    await page.focus(`#${id}`);
    for (let press = 0; press < presses; ++press) await page.keyboard.press(key);
    assert.ok(
      near(await total(), seconds),
      `${where}: ${id} moved to ${await page.$eval(`#${id}`, (input) => input.getAttribute('aria-valuetext'))}: ` +
        `${await total()} s on the page, ${seconds} s by finegrain predict`,
    );
    await page.click('#slider-reset');
    assert.ok(near(await total(), embedded), `${where}: the sliders are back, the total is not`);
  }
}

/** A study's table begins with the best point of the column that sorts it, and a filter leaves the points of its value. */
async function check_study(page, study, where) {
  const rows = () => page.$$eval('#table-of-points tbody tr', (all) => all.map((row) => row.firstChild.innerText));
  const sorted_by = async (heading) => {
    await page.click(`#table-of-points button:text-is("${heading}")`);
    return (await rows())[0];
  };
  assert.equal((await rows()).length, study.points, `${where}: points`);
  assert.equal((await rows())[0], String(study.fastest), `${where}: the fastest point`);
  assert.equal(await sorted_by('node-hours'), String(study.cheapest), `${where}: the cheapest point`);
  const best = await page.$$eval('#best-points tbody th', (all) => all.map((cell) => cell.innerText));
  assert.match(best[0], /^fastest/, where);
  assert.match(best.at(-1), /fewest node-hours$/, where);
  await page.selectOption(`#filters label:has-text("${study.filter}") select`, { label: study.value });
  assert.equal((await rows()).length, study.filtered, `${where}: points of ${study.filter} ${study.value}`);
}

async function check(browser, { file, sliders = [], study }, screenshots) {
  const least_charts = study ? 1 : 5;
  const bytes = fs.statSync(file).size;
  assert.ok(bytes < 15e6, `${file}: ${bytes} bytes`);
  const name = path.basename(file, '.html');
  for (const { name: screen, ...options } of screens) {
    for (const colorScheme of ['light', 'dark']) {
      const where = `${name}, ${screen}, ${colorScheme}`;
      const context = await browser.newContext({ ...options, colorScheme });
      const { page, trouble, drawn_ms } = await opened(context, file);
      const marks = await check_charts(page, where, least_charts);
      await check_width(page, where);
      await check_accessibility(page, where);
      await page.screenshot({
        path: path.join(screenshots, `${name}-${screen}-${colorScheme}.png`),
        fullPage: true,
      });
      console.log(
        `${where}: ${(bytes / 1e6).toFixed(2)} MB, drawn after ${(drawn_ms / 1000).toFixed(2)} s; marks: ${marks}`,
      );
      if (screen === 'desktop' && colorScheme === 'light') {
        for (const section of await page.$$('section'))
          await section.screenshot({
            path: path.join(screenshots, `${name}-${await section.getAttribute('id')}.png`),
          });
        await check_sliders(page, sliders, where);
        await check_keyboard(page, where);
        if (study) await check_study(page, study, where);
        await page.focus('#theme');
        await page.keyboard.press('Enter');
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', where);
        await check_charts(page, `${where}, then dark`, least_charts);
        await page.$$eval('summary', (all) => all.forEach((summary) => summary.click()));
        await page.waitForFunction(
          () =>
            document.querySelectorAll('details table').length === document.querySelectorAll('details').length,
        );
      }
      assert.deepEqual(trouble, [], where);
      await context.close();
    }
  }
}

async function main() {
  const [expectations, screenshots] = process.argv.slice(2);
  fs.mkdirSync(screenshots, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  try {
    for (const report of JSON.parse(fs.readFileSync(expectations, 'utf8')))
      await check(browser, report, screenshots);
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
