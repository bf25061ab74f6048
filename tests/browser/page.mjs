// The page in a real browser, while a hunt is running. Started by `cargo lab browser`, which starts the hunt and the
// servers; any failed expectation ends it with status 1.
//
//   URL      the page of the live hunt, one of whose findings has markup in its source
//   FROZEN   the file of `gainsay report --html`
//   SHOTS    the folder for screenshots
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

const { URL: url, FROZEN: frozen, SHOTS: shots, CHROMIUM: executablePath } = process.env;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const patience = 90_000;

const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

/** A page that complains about errors, refused scripts, and requests that leave the machine. */
async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: sizes.desktop, acceptDownloads: true, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("file://")) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  const close = async () => {
    await context.close();
    assert.deepEqual(complaints, [], address);
  };
  return { page, context, close };
}

async function step(name, work) {
  const begin = Date.now();
  await work();
  console.log(`  ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
}

/** Waits until `ask` gives something that `fits`. */
async function until(what, ask, fits) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await ask();
    if (fits(value)) return value;
    if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 250));
  }
}

const count = async (page, selector) => Number((await page.textContent(selector)).replaceAll(",", ""));

async function accessible(page, what) {
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  const grave = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  const told = grave.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" | ").slice(0, 400)}`);
  assert.deepEqual(told, [], `accessibility of ${what}`);
}

try {
  let finding;
  await step("numbers move while the hunt goes on", async () => {
    const { page, close } = await open(url);
    const before = await until("a test", () => count(page, "#tests"), (n) => n > 0);
    await until("more tests, without loading the page again", () => count(page, "#tests"), (n) => n > before);
    await page.locator(".status.running").waitFor();
    await close();
  });

  await step("a list that can be filtered, by hand and by keys", async () => {
    const { page, close } = await open(`${url}/findings`);
    const rows = page.locator(".list tbody tr");
    // While the hunt goes on, a finding may turn out to be one of a bug that is listed: only what is in the list
    // whatever happens is waited for.
    const kinds = () => page.locator(".list tbody .badge").allTextContents();
    const all = (listed) => listed.includes("compiler-crash") && listed.includes("wrong-output");
    await until("two bugs", kinds, all);
    await page.keyboard.press("/");
    await page.keyboard.type("no such words");
    await until("nothing fits", () => rows.count(), (n) => n === 0);
    await until("an address to come back to", async () => page.url(), (at) => at.endsWith("q=no+such+words"));
    await page.fill("#search", "");
    await until("all are back", kinds, all);
    await page.selectOption("select[name=kind]", "compiler-crash");
    await until("crashes only", kinds,
      (listed) => listed.length > 0 && listed.every((kind) => kind === "compiler-crash"));
    await page.selectOption("select[name=kind]", "");
    await until("all are back", kinds, all);
    await page.locator("#search").press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/finding/*");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#help").isVisible()));
    await close();
  });

  await step("a studied finding: colours, outputs, versions, command, report", async () => {
    const { page, context, close } = await open(`${url}/findings?kind=wrong-output`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const link = page.locator(".list tbody tr", { hasText: /planted/ }).locator("a").first();
    await link.waitFor();
    finding = new URL(await link.getAttribute("href"), url).href;
    await page.goto(finding);
    await until("the study, without loading the page again", () => page.locator("h2").allTextContents(), (all) => all.includes("Versions"));
    assert.ok((await page.locator(".source .t").count()) > 0, "types are coloured");
    assert.equal(await page.locator(".sides h3").first().textContent(), "Expected");
    assert.ok((await page.locator(".sides mark").count()) > 0, "what differs is marked");
    assert.ok((await page.locator(".classes .class").count()) >= 2, "classes of targets");
    assert.ok((await page.locator(".ladder td.fails").count()) > 0, "versions that fail");
    assert.ok((await page.locator(".opinions li").count()) > 0, "who says that it is valid");
    await page.click("[data-copy]");
    await page.getByText("Copied").waitFor();
    const command = await page.locator(".command pre").textContent();
    assert.match(command, /-O2 .*test\.c/);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download report")]);
    assert.match(download.suggestedFilename(), /^gainsay-\d+\.zip$/);
    const zip = await readFile(await download.path());
    for (const name of ["report.md", "reproduce.sh", "test.c", "expected"]) assert.ok(zip.includes(`/${name}`), `${name} in the report`);
    assert.ok(zip.subarray(0, 2).equals(Buffer.from("PK")));
    await close();
  });

  await step("markup in a program is text", async () => {
    const { page, close } = await open(`${url}/findings`);
    const evil = "<script>document.title = 'owned'</script></textarea><img src=x onerror=alert(1)>";
    let shown = false;
    for (let id = 1; !shown; id += 1) {
      const response = await page.goto(`${url}/finding/${id}`);
      assert.ok(response.ok(), "no finding shows the program");
      shown = (await page.locator("main").textContent()).includes(evil);
    }
    assert.doesNotMatch(await page.title(), /owned/);
    assert.equal(await page.locator("main img, main textarea, main script").count(), 0);
    await close();
  });

  await step("without scripts", async () => {
    const { page, close } = await open(`${url}/findings`, { javaScriptEnabled: false });
    await page.selectOption("select[name=kind]", "wrong-output");
    await page.click("text=Filter");
    await page.waitForURL(/kind=wrong-output/);
    await page.goto(finding);
    assert.ok(await page.locator(".command pre").isVisible());
    assert.ok(await page.locator("text=Download report").isVisible());
    assert.ok(!(await page.locator("[data-copy]").isVisible()), "a button that does nothing is not shown");
    await close();
  });

  await step("light and dark, phone and desktop, for everybody", async () => {
    const pages = { overview: url, findings: `${url}/findings`, finding, frozen: `file://${frozen}` };
    for (const colorScheme of ["light", "dark"]) {
      for (const [size, viewport] of Object.entries(sizes)) {
        for (const [name, address] of Object.entries(pages)) {
          const { page, close } = await open(address, { colorScheme, viewport, reducedMotion: "reduce" });
          if (name === "frozen") await page.locator("details.finding summary").first().click();
          await accessible(page, `${name}, ${colorScheme}, ${size}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels too wide for a ${size}`);
          await page.screenshot({ path: path.join(shots, `${name}-${colorScheme}-${size}.png`), fullPage: true });
          await close();
        }
      }
    }
  });

  await step("the switch", async () => {
    const { page, close } = await open(url, { colorScheme: "light" });
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.click("#theme");
    assert.notEqual(await back(), light);
    await page.reload();
    assert.notEqual(await back(), light, "it is remembered");
    await close();
  });
} finally {
  await browser.close();
}
