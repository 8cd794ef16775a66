// C# binding of the C library: garments of ruckle_c_garment.h. It does not use Unity.
using System;
using System.Runtime.InteropServices;

namespace Ruckle
{
    [StructLayout(LayoutKind.Sequential)]
    public struct GarmentMesh
    {
        public IntPtr Rest;
        public int Stride, VertexCount;
        public IntPtr Indices;
        public int IndexSize, FaceCount, Weld;
    }

    // Copy of the C struct ruckle_wave_options. Garment.CheckLayout compares the layout with the library's struct.
    [StructLayout(LayoutKind.Sequential)]
    public struct WaveOptions
    {
        public float r_min, wavelength, gain, slack, steepest, sharpness, detail;
        public float sag, lift, irregularity, coherence, hang, hem, calm;
        public ulong seed;
        public int threads;
    }

    internal static class Native
    {
        private const string Library = "ruckle_c";

        [StructLayout(LayoutKind.Sequential)]
        internal struct Member
        {
            public IntPtr Structure, Name, Type;
            public int Offset, Size;
        }

        [DllImport(Library)] internal static extern IntPtr ruckle_error_message();
        [DllImport(Library)] internal static extern IntPtr ruckle_members(out int count);
        [DllImport(Library)] internal static extern void ruckle_waves_default_options(out WaveOptions options);
        [DllImport(Library)] internal static extern int ruckle_garment_create(ref GarmentMesh mesh, IntPtr paths,
            ref WaveOptions waves, out IntPtr garment);
        [DllImport(Library)] internal static extern void ruckle_garment_destroy(IntPtr garment);
        [DllImport(Library)] internal static extern int ruckle_garment_step(IntPtr garment, [In] float[] positions, int stride, float dt);
        [DllImport(Library)] internal static extern int ruckle_garment_write_waves(IntPtr garment, [Out] float[] vertices);
        [DllImport(Library)] internal static extern int ruckle_garment_write_vertices(IntPtr garment, [Out] float[] vertices);
        [DllImport(Library)] internal static extern int ruckle_garment_write_strains(IntPtr garment, [Out] float[] strains);
        [DllImport(Library)] internal static extern int ruckle_garment_set_options(IntPtr garment, IntPtr paths, ref WaveOptions waves);
        [DllImport(Library)] internal static extern int ruckle_garment_set_paint(IntPtr garment, [In] float[] paint);
        [DllImport(Library)] internal static extern IntPtr ruckle_garment_waves(IntPtr garment);
        [DllImport(Library)] internal static extern int ruckle_waves_write_rest_texels(IntPtr waves, [Out] float[] texels,
            [Out] float[] profile);
    }

    // A garment with wrinkle waves. Arrays contain their numbers without gaps.
    public sealed class Garment : IDisposable
    {
        private IntPtr handle;

        public int VertexCount { get; }
        public int FaceCount { get; }

        // rest: (V, 3) positions of the cloth at rest; faces: (T, 3) vertex indices, counterclockwise
        public Garment(float[] rest, int[] faces, WaveOptions options)
        {
            CheckLayout();
            VertexCount = rest.Length / 3;
            FaceCount = faces.Length / 3;
            var pinnedRest = GCHandle.Alloc(rest, GCHandleType.Pinned);
            var pinnedFaces = GCHandle.Alloc(faces, GCHandleType.Pinned);
            try
            {
                var mesh = new GarmentMesh
                {
                    Rest = pinnedRest.AddrOfPinnedObject(), VertexCount = VertexCount,
                    Indices = pinnedFaces.AddrOfPinnedObject(), IndexSize = 4, FaceCount = FaceCount, Weld = 1,
                };
                Check(Native.ruckle_garment_create(ref mesh, IntPtr.Zero, ref options, out handle));
            }
            finally
            {
                pinnedRest.Free();
                pinnedFaces.Free();
            }
        }

        public static WaveOptions DefaultOptions(float height)
        {
            Native.ruckle_waves_default_options(out var options);
            options.r_min = 0.005f * height;
            return options;
        }

        public void Step(float[] positions, float dt)
        {
            Require("positions", positions, 3 * VertexCount);
            Check(Native.ruckle_garment_step(handle, positions, 0, dt));
        }

        // Writes (V, 6) numbers: covector, phase, fine phase, amplitude
        public void WriteWaves(float[] vertices)
        {
            Require("vertices", vertices, 6 * VertexCount);
            Check(Native.ruckle_garment_write_waves(handle, vertices));
        }

        // Writes (V, 12) numbers: the six numbers of WriteWaves, position, smooth normal
        public void WriteVertices(float[] vertices)
        {
            Require("vertices", vertices, 12 * VertexCount);
            Check(Native.ruckle_garment_write_vertices(handle, vertices));
        }

        // Writes (V, 8) numbers: direction (3) and value of the minimum strain, then of the maximum strain
        public void WriteStrains(float[] strains)
        {
            Require("strains", strains, 8 * VertexCount);
            Check(Native.ruckle_garment_write_strains(handle, strains));
        }

        // Changes the options. Heights approach their new values without a jump.
        public void Change(WaveOptions options)
        {
            Check(Native.ruckle_garment_set_options(handle, IntPtr.Zero, ref options));
        }

        public void SetPaint(float[] paint)
        {
            if (paint != null)
            {
                Require("paint", paint, VertexCount);
            }
            Check(Native.ruckle_garment_set_paint(handle, paint));
        }

        // Returns the texels (T + V, 4) of the rest pose, and the uniform wave_profile of the shader.
        public float[] RestTexels(out float[] profile)
        {
            var texels = new float[4 * (FaceCount + VertexCount)];
            profile = new float[4];
            Check(Native.ruckle_waves_write_rest_texels(Native.ruckle_garment_waves(handle), texels, profile));
            return texels;
        }

        public void Dispose()
        {
            Native.ruckle_garment_destroy(handle);
            handle = IntPtr.Zero;
        }

        private static void Require(string name, float[] array, int length)
        {
            if (array == null || array.Length < length)
            {
                throw new ArgumentException($"{name}: expected at least {length} numbers, got {array?.Length ?? 0}");
            }
        }

        private static void Check(int status)
        {
            if (status != 0)
            {
                throw new InvalidOperationException(Marshal.PtrToStringAnsi(Native.ruckle_error_message()));
            }
        }

        // Compares the structs of this file with the description in the library, to reject a library of another version.
        private static void CheckLayout()
        {
            var first = Native.ruckle_members(out var count);
            for (var i = 0; i < count; ++i)
            {
                var row = Marshal.PtrToStructure<Native.Member>(first + i * Marshal.SizeOf<Native.Member>());
                var name = Marshal.PtrToStringAnsi(row.Name);
                var structure = Marshal.PtrToStringAnsi(row.Structure);
                if (structure == "ruckle_wave_options")
                {
                    var found = name == "" ? Marshal.SizeOf<WaveOptions>() : (int)Marshal.OffsetOf<WaveOptions>(name);
                    Require(structure, name, name == "" ? row.Size : row.Offset, found);
                }
                else if (structure == "ruckle_garment_mesh" && name == "")
                {
                    Require(structure, name, row.Size, Marshal.SizeOf<GarmentMesh>());
                }
            }
        }

        private static void Require(string structure, string name, int expected, int found)
        {
            if (expected != found)
            {
                throw new InvalidOperationException($"{structure}.{name}: expected {expected} bytes, got {found}");
            }
        }
    }
}
