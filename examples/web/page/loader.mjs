// Reads glTF and VRM files without requests to a server. The page contains the decoders.

import { LoadingManager } from "three";
import { DRACOLoader } from "three/addons/loaders/DRACOLoader.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { KTX2Loader } from "three/addons/loaders/KTX2Loader.js";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { VRMLoaderPlugin, VRMUtils } from "@pixiv/three-vrm";
import { annotate } from "ruckle";

/**
 * @typedef {object} Model
 * @property {string} name name of the file
 * @property {import('three').Object3D} scene
 * @property {import('three').AnimationClip[]} clips
 * @property {import('@pixiv/three-vrm').VRM | null} vrm
 */

/**
 * @param {import('three').WebGLRenderer} renderer
 * @param {Record<string, string>} decoders base64 by file name
 */
export function makeLoader(renderer, decoders) {
  const manager = new LoadingManager();
  /** @type {Map<string, string>} */
  let dropped = new Map();
  manager.setURLModifier((url) => {
    const name = decodeURIComponent(url.split(/[\\/]/).pop() ?? "");
    const decoder = url.startsWith("decoders/") && decoders[name];
    return decoder ? `data:application/octet-stream;base64,${decoder}` : dropped.get(name) ?? url;
  });
  const draco = new DRACOLoader(manager).setDecoderPath("decoders/").setWorkerLimit(1);
  const ktx2 = new KTX2Loader(manager).setTranscoderPath("decoders/").detectSupport(renderer).setWorkerLimit(1);
  const loader = new GLTFLoader(manager).setDRACOLoader(draco).setKTX2Loader(ktx2).setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => new VRMLoaderPlugin(parser));

  /**
   * Reads the first glTF or VRM file of the list. The other files are its buffers and textures.
   * @param {File[]} files
   * @returns {Promise<Model>}
   */
  return async (files) => {
    const main = files.find((file) => /\.(glb|gltf|vrm)$/i.test(file.name));
    if (!main) {
      throw new Error(`expected a .glb, .gltf or .vrm file, got ${files.map((file) => file.name).join(", ") || "nothing"}`);
    }
    dropped = new Map(files.map((file) => [file.name, URL.createObjectURL(file)]));
    try {
      const gltf = await loader.parseAsync(await main.arrayBuffer(), "");
      annotate(gltf);
      const scene = gltf.scene ?? gltf.scenes[0];
      if (!scene) {
        throw new Error("it has no scene");
      }
      const vrm = /** @type {import('@pixiv/three-vrm').VRM | undefined} */ (gltf.userData.vrm) ?? null;
      if (vrm) {
        VRMUtils.rotateVRM0(vrm);
      }
      // the file name, such as "fox", helps to find the role of parts; `scene.name` must not change, because animations use names
      scene.userData.name = main.name.replace(/\.\w+$/, "");
      return { name: main.name, scene, clips: gltf.animations ?? [], vrm };
    } finally {
      dropped.forEach((url) => URL.revokeObjectURL(url));
    }
  };
}
