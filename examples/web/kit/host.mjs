// One interface to the workshop, which computes the texels of garments. It runs in the page or in a worker.

import { loadCore } from "./core.mjs";
import { Workshop } from "./workshop.mjs";

/**
 * @typedef {object} Host
 * @property {(order: import('./workshop.mjs').Order) => Promise<any>} send executes orders one after the other
 * @property {((order: import('./workshop.mjs').Order) => any) | null} call executes an order and returns the reply; null in a worker
 * @property {() => number} nextNumber returns a new number for a garment, or for a kind (data that garments share)
 * @property {() => void} close
 */

/** @param {WebAssembly.Module} wasm @returns {Promise<Host>} */
export async function hostInPage(wasm) {
  const workshop = new Workshop(await loadCore(wasm));
  let number = 0;
  const call = (/** @type {import('./workshop.mjs').Order} */ order) => workshop.handle(order).reply;
  return { send: async (order) => call(order), call, nextNumber: () => ++number, close() {} };
}

/** @param {WebAssembly.Module} wasm @param {Worker} worker @returns {Host} */
export function hostInWorker(wasm, worker) {
  /** @type {Map<number, {resolve: (reply: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  let number = 0, sent = 0;
  const fail = (/** @type {string} */ message) => {
    waiting.forEach(({ reject }) => reject(new Error(message)));
    waiting.clear();
  };
  worker.onmessage = ({ data }) => {
    const asked = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.failure) {
      asked?.reject(new Error(data.failure));
    } else {
      asked?.resolve(data.reply);
    }
  };
  worker.onerror = (event) => fail(event.message || "the worker of ruckle did not start");
  worker.postMessage(wasm);
  return {
    send: (order) => new Promise((resolve, reject) => {
      waiting.set(++sent, { resolve, reject });
      worker.postMessage({ number: sent, order });
    }),
    call: null,
    nextNumber: () => ++number,
    close() {
      worker.terminate();
      fail("ruckle was closed");
    },
  };
}
