// Component that adds wrinkles to a skinned garment. Add it to an object with a SkinnedMeshRenderer, and set a material with the
// shader Ruckle/Cloth.
using UnityEngine;

namespace Ruckle
{
    [RequireComponent(typeof(SkinnedMeshRenderer))]
    public sealed class RuckleCloth : MonoBehaviour
    {
        [Tooltip("Height of the character, metres.")] public float height = 1.7f;
        [Range(0, 4)] public float gain = 1.5f;
        public Material material;

        private const int RestWidth = 1024;
        private SkinnedMeshRenderer skinned;
        private Mesh baked, drawn;
        private Garment garment;
        private WaveOptions options;
        private float[] positions, vertices;
        private Texture2D frameTable, restTable;
        private MaterialPropertyBlock block;
        private int[] triangles;

        private void Start()
        {
            skinned = GetComponent<SkinnedMeshRenderer>();
            var mesh = skinned.sharedMesh;
            triangles = mesh.triangles;
            // front faces are clockwise in Unity and counterclockwise in the library: exchanges two corners
            var faces = new int[triangles.Length];
            for (var i = 0; i < faces.Length; i += 3)
            {
                faces[i] = triangles[i];
                faces[i + 1] = triangles[i + 2];
                faces[i + 2] = triangles[i + 1];
            }
            positions = Packed(mesh.vertices, new float[3 * mesh.vertexCount]);
            options = Garment.DefaultOptions(height);
            options.gain = gain;
            garment = new Garment(positions, faces, options);
            vertices = new float[12 * garment.VertexCount];
            MakeTables();
            MakeDrawn(mesh, faces);
            baked = new Mesh();
            skinned.forceRenderingOff = true;
        }

        private void LateUpdate()
        {
            if (!Mathf.Approximately(options.gain, gain))
            {
                options.gain = gain;
                garment.Change(options);
            }
            if (Time.deltaTime <= 0)
            {
                return;
            }
            skinned.BakeMesh(baked, true);
            garment.Step(Packed(baked.vertices, positions), Time.deltaTime);
            garment.WriteVertices(vertices);
            // three texels per vertex contain its twelve numbers
            frameTable.SetPixelData(vertices, 0);
            frameTable.Apply(false);
            Graphics.DrawMesh(drawn, transform.localToWorldMatrix, material, gameObject.layer, null, 0, block);
        }

        private void OnDestroy()
        {
            garment?.Dispose();
        }

        private static float[] Packed(Vector3[] vertices, float[] packed)
        {
            for (var v = 0; v < vertices.Length; ++v)
            {
                packed[3 * v] = vertices[v].x;
                packed[3 * v + 1] = vertices[v].y;
                packed[3 * v + 2] = vertices[v].z;
            }
            return packed;
        }

        private static Texture2D Table(int width, int height)
        {
            return new Texture2D(width, height, TextureFormat.RGBAFloat, false, true) { filterMode = FilterMode.Point };
        }

        private void MakeTables()
        {
            var rest = garment.RestTexels(out var profile);
            var rows = (rest.Length / 4 + RestWidth - 1) / RestWidth;
            var colors = new Color[RestWidth * rows];
            for (var i = 0; i < rest.Length / 4; ++i)
            {
                colors[i] = new Color(rest[4 * i], rest[4 * i + 1], rest[4 * i + 2], rest[4 * i + 3]);
            }
            restTable = Table(RestWidth, rows);
            restTable.SetPixels(colors);
            restTable.Apply(false);
            frameTable = Table(3, garment.VertexCount);
            block = new MaterialPropertyBlock();
            block.SetTexture("_RestTable", restTable);
            block.SetTexture("_FrameTable", frameTable);
            block.SetVector("_WaveProfile", new Vector4(profile[0], profile[1], profile[2], profile[3]));
            block.SetInt("_FaceCount", garment.FaceCount);
        }

        // Makes a mesh with three separate vertices per triangle. The shader computes triangle and corner from the vertex index.
        private void MakeDrawn(Mesh mesh, int[] faces)
        {
            var corners = new int[faces.Length];
            var uv = mesh.uv;
            var cornerUv = new Vector2[faces.Length];
            for (var i = 0; i < faces.Length; ++i)
            {
                // triangles are clockwise for Unity, but their vertices are numbered in the library's order of corners
                corners[i] = i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1;
                cornerUv[i] = uv.Length > 0 ? uv[faces[i]] : Vector2.zero;
            }
            drawn = new Mesh { indexFormat = UnityEngine.Rendering.IndexFormat.UInt32 };
            drawn.SetVertices(new Vector3[faces.Length]);
            drawn.SetUVs(0, cornerUv);
            drawn.SetIndices(corners, MeshTopology.Triangles, 0);
            drawn.bounds = new Bounds(Vector3.zero, 1000 * Vector3.one);
        }
    }
}
