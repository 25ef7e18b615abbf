/**
 * Script of dashboards. Refreshes the charts when the change feed reports changes, and offers pictures as PNG. Pages
 * work without it.
 */

/** ms between two refreshes. */
const PAUSE = 10_000;
/** ms over which the pages of all readers spread their refreshes: a change reaches them at the same moment. */
const SPREAD = 2_000;
/** ms after which the feed is tried again when the server has refused it. */
const AGAIN = 60_000;
/** Pixels of a PNG per unit of its SVG. */
const SCALE = 2;

const charts = document.getElementById('charts');
let refreshedAt = Date.now();
let timer = 0;

/** Refreshes soon, once for all changes in the meantime. */
function request() {
  if (timer || document.hidden) return;
  timer = setTimeout(
    async () => {
      await refresh();
      timer = 0;
    },
    Math.max(0, refreshedAt + PAUSE - Date.now()) + Math.random() * SPREAD,
  );
}

/** Replaces the charts whose contents differ. Open parts stay open, and a chart in use stays as it is. */
async function refresh() {
  refreshedAt = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-cache' });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const old of charts.querySelectorAll('figure')) {
      const fresh = page.getElementById(old.id);
      if (!fresh || old.contains(document.activeElement) || shownBy(old) === shownBy(fresh)) continue;
      const open = [...old.querySelectorAll('details')].map((details) => details.open);
      for (const [at, details] of fresh.querySelectorAll('details').entries()) details.open = open[at] ?? false;
      old.replaceWith(document.adoptNode(fresh));
      offerPng(fresh);
    }
    charts.dataset.refreshed = new Date().toISOString();
  } catch {
    // the next change tries again
  }
}

/** What a chart shows, without the buttons of scripts. */
const shownBy = (chart) =>
  [...chart.querySelectorAll('h2, .axes, table, .tiles, .empty, .notice')].map((part) => part.innerHTML).join();

let stream = null;

function follow() {
  if (stream || document.hidden) return;
  stream = new EventSource(charts.dataset.live);
  stream.addEventListener('change', request);
  stream.addEventListener('end', leave);
  stream.addEventListener('error', () => {
    if (stream?.readyState === EventSource.CLOSED) leave(); // refused: there are too many streams
  });
}

function leave() {
  stream?.close();
  stream = null;
  setTimeout(() => {
    request();
    follow();
  }, AGAIN);
}

if (charts) {
  follow();
  if (charts.dataset.every) setInterval(request, Number(charts.dataset.every) * 1000);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      stream?.close();
      stream = null;
    } else {
      request();
      follow();
    }
  });
  for (const chart of charts.querySelectorAll('figure')) offerPng(chart);
}

/** A button that draws the SVG of a chart and saves it as PNG. */
function offerPng(chart) {
  const link = chart.querySelector('a[data-png]');
  if (!link) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'link';
  button.textContent = 'PNG';
  button.setAttribute('aria-label', link.dataset.png);
  link.after(button);
  button.addEventListener('click', () => savePng(link.href));
}

async function savePng(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * SCALE;
  canvas.height = image.naturalHeight * SCALE;
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = new URL(address).pathname.split('/').slice(-2).join('-').replace(/svg$/, 'png');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
