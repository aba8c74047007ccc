// How long a person waits who moves a slider on the page of finegrain explore: from the event in the browser until the numbers are painted.
//   node measure_explore.js ADDRESS [CHANGES [apart]]      at most 50, which is the default
// Each change is a question that nobody asked before, and is made when the report of the one before is drawn. Each slider goes from place to
// place, which the page looks ahead to; apart: each time from where it begins to one of its places, which the page cannot know before. It
// needs playwright-core (NODE_PATH) and CHROMIUM, as explore.js does. It is no test: how long it takes depends on what else the computer does.

const { chromium } = require('playwright-core');

const [address, changes = '50', how = ''] = process.argv.slice(2);
const sliders = ['link_latency', 'link_bandwidth', 'message_overhead', 'memory_bandwidth', 'memory_bandwidth_per_core'];
const most_steps = 5; // to each side of where a slider begins

/** In the page: notes when the present change happened, and what was painted after it. */
function watch() {
  window.painted = {};
  const note = (what) => {
    const { painted } = window; // this change's, also when the next one comes before the frame
    requestAnimationFrame(() => {
      setTimeout(() => (painted[what] ??= performance.now() - painted.began)); // the frame is painted then
    });
  };
  window.addEventListener('input', () => (window.painted = { began: performance.now() }), true);
  const answer = document.querySelector('#answer');
  const look = () => {
    if (answer.classList.contains('old')) return;
    note('first');
    if (answer.querySelector('#coarse')) window.painted.coarse = true;
    else note('whole');
  };
  new MutationObserver(look).observe(answer, { childList: true, attributes: true });
  new PerformanceObserver((list) => list.getEntriesByName('reported').length > 0 && note('report')).observe({ entryTypes: ['mark'] });
}

/** Each slider alone, through all of its places but the one where it begins: [slider, place, whether it begins anew]. */
function* moves() {
  for (const slider of sliders)
    for (const side of [-1, 1])
      for (let step = 1; step <= most_steps; ++step) yield how === 'apart' ? [slider, side * (most_steps + 1 - step), true] : [slider, side * step, step === 1];
}

const move = (slider, place) =>
  slider.evaluate((input, value) => {
    input.value = value;
    for (const event of ['input', 'change']) input.dispatchEvent(new Event(event, { bubbles: true }));
  }, place);

const share_of = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(0);

async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(address);
  const is_reported = () => page.waitForFunction(() => performance.getEntriesByName('reported').length > 0, undefined, { timeout: 120_000 });
  await is_reported();
  await page.evaluate(watch);
  const seen = [];
  for (const [slider, place, begins_anew] of moves()) {
    if (seen.length === Number(changes)) break;
    if (begins_anew) {
      await page.evaluate(() => performance.clearMarks());
      await page.click('#reset');
      await is_reported();
    }
    await move(page.locator(`[id="control--set-${slider}"]`), place);
    await page.waitForFunction(() => window.painted.report, undefined, { timeout: 120_000 });
    seen.push(await page.evaluate(() => window.painted));
    await page.waitForTimeout(200);
  }
  await browser.close();
  console.log(`${seen.length} changes, ${seen.filter(({ coarse }) => coarse).length} with a coarse answer first`);
  console.log('ms from the change until it is painted   median   least   90 %   longest');
  for (const what of ['first', 'whole', 'report']) {
    const sorted = seen.map((one) => one[what]).sort((a, b) => a - b);
    const name = { first: 'the first numbers, coarse or not', whole: 'the whole answer', report: "the report's sections" }[what];
    console.log(`${name.padEnd(38)} ${[0.5, 0, 0.9, 1].map((share) => share_of(sorted, share).padStart(8)).join('')}`);
  }
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
