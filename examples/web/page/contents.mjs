// Contents that build.py packs into the page, as base64; arrays are deflated first.

/** @param {string} text */
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** @param {string} text */
async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/**
 * @template T
 * @param {new (buffer: ArrayBuffer) => T} Type
 * @param {string} text
 */
export async function unpacked(Type, text) {
  return new Type(await inflated(text));
}

/**
 * The inverse of `moving` in build.py: numbers (F, count) from whole steps, of which the second differences over frames are stored.
 * @param {{steps: string, count: number, low: number, step: number}} stored
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
