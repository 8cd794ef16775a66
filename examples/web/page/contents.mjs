// Contents that the package packs: bytes for a notebook, base64 in the page; arrays are deflated.

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
 * The inverse of `moving` in ruckle.view.packing: numbers (F, count) from whole steps, of which the second differences over frames are stored.
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
