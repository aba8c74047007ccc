// Makes docs/explore.png: an exercise with its guess, the controls, the answer, and a pinned question beside it.
//   finegrain explore --platform abel,ethernet_10g
//   node picture_explore.js ADDRESS FILE
// It needs playwright-core (NODE_PATH) and CHROMIUM, as explore.js does. A palette makes the file small enough for the repository, e.g.
// ImageMagick's:
//   convert FILE -colors 64 PNG8:docs/explore.png

const { chromium } = require('playwright-core');

const [address, file] = process.argv.slice(2);

async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  page.setDefaultTimeout(120_000);
  const reported = async (act) => {
    await page.evaluate(() => performance.clearMarks());
    await act();
    await page.waitForFunction(() => performance.getEntriesByName('reported').length > 0);
  };
  await page.goto(address);
  await page.selectOption('#choose-exercise', { label: '8. Latency-bound or bandwidth-bound?' });
  await page.check('#exercise-8 input[value="2"]');
  await reported(() => page.click('#exercise-8 button:has-text("This is my guess")'));
  await page.click('#pin');
  await reported(() => page.press('[id="control--set-memory_bandwidth"]', 'ArrowRight'));
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  const { bottom } = await page.$eval('#now', (now) => now.getBoundingClientRect().toJSON());
  await page.setViewportSize({ width: 1280, height: Math.ceil(bottom) + 8 });
  await page.screenshot({ path: file });
  await browser.close();
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
