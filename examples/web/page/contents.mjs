// Unpacks the arrays that ruckle.view.packing has packed: deflated bytes in notebooks, base64 of deflated bytes in the page.

/** @param {string | DataView} stored */
export function bytesOf(stored) {
  return typeof stored === "string" ? Uint8Array.from(atob(stored), (character) => character.charCodeAt(0))
    : new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength).slice();
}

/** @param {string | DataView} stored */
async function inflated(stored) {
  const stream = new Blob([bytesOf(stored)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/**
 * @template T
 * @param {new (buffer: ArrayBuffer) => T} Type
 * @param {string | DataView} stored
 */
export async function unpacked(Type, stored) {
  return new Type(await inflated(stored));
}

/**
 * Returns numbers (F, count) that `moving` in ruckle.view.packing has packed. They are quantised, and stored as second differences over
 * the frames.
 * @param {{steps: string | DataView, count: number, low: number, step: number}} stored
 */
export async function moving({ steps, count, low, step }) {
  const whole = new Uint16Array(await inflated(steps));
  for (let order = 0; order < 2; ++order) {
    for (let i = count; i < whole.length; ++i) {
      whole[i] += whole[i - count];
    }
  }
  const size = Math.fround(step), least = Math.fround(low);
  return Float32Array.from(whole, (number) => least + Math.fround(size * number));
}
