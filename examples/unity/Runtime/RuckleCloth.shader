// Cloth with wrinkle waves, which tilt the normal of each pixel, for Unity's built-in pipeline. wave_normal.hlsl is a copy of
// shaders/engines/wave_normal.hlsl from the release archive.
Shader "Ruckle/Cloth"
{
    Properties
    {
        _Color ("Color", Color) = (0.48, 0.56, 0.68, 1)
        _MainTex ("Texture", 2D) = "white" {}
    }
    SubShader
    {
        Tags { "RenderType" = "Opaque" "LightMode" = "ForwardBase" }
        Cull Off
        Pass
        {
            HLSLPROGRAM
            #pragma target 4.5
            #pragma vertex vertex
            #pragma fragment fragment
            #include "UnityCG.cginc"
            #include "wave_normal.hlsl"

            Texture2D<float4> _RestTable, _FrameTable;
            sampler2D _MainTex;
            float4 _Color, _WaveProfile, _LightColor0;
            int _FaceCount;

            struct Varyings
            {
                float4 position : SV_POSITION;
                float3 barycentric : TEXCOORD0;
                float3 normal : TEXCOORD1;
                float2 uv : TEXCOORD2;
                nointerpolation uint face : TEXCOORD3;
            };

            float4 rest_texel(int number)
            {
                return _RestTable.Load(int3(number % 1024, number / 1024, 0));
            }

            // three texels per vertex contain: covector, phase, fine phase, amplitude, position, normal
            float3 position_of(int number)
            {
                return float3(_FrameTable.Load(int3(1, number, 0)).zw, _FrameTable.Load(int3(2, number, 0)).x);
            }

            Varyings vertex(uint number : SV_VertexID, float2 uv : TEXCOORD0)
            {
                Varyings made;
                uint corner = number % 3;
                made.face = number / 3;
                int own = (int)rest_texel(made.face)[corner];
                made.barycentric = float3(corner == 0, corner == 1, corner == 2);
                made.normal = _FrameTable.Load(int3(2, own, 0)).yzw;
                made.position = UnityObjectToClipPos(position_of(own));
                made.uv = uv;
                return made;
            }

            float4 fragment(Varyings given, bool front : SV_IsFrontFace) : SV_Target
            {
                int3 vertices = (int3)rest_texel(given.face).xyz;
                WaveCorner corners[3];
                float3 rest[3], now[3];
                for (int v = 0; v < 3; ++v)
                {
                    float4 first = _FrameTable.Load(int3(0, vertices[v], 0)), second = _FrameTable.Load(int3(1, vertices[v], 0));
                    corners[v] = make_WaveCorner(first.xyz, second.y, float2(first.w, second.x));
                    rest[v] = rest_texel(_FaceCount + vertices[v]).xyz;
                    now[v] = position_of(vertices[v]);
                }
                float3 normal = wave_normal(corners, rest, now, given.barycentric, normalize(given.normal), _WaveProfile);
                normal = UnityObjectToWorldNormal(front ? normal : -normal);
                float3 color = _Color.rgb * tex2D(_MainTex, given.uv).rgb;
                float3 light = _LightColor0.rgb * saturate(dot(normal, normalize(_WorldSpaceLightPos0.xyz)));
                return float4(color * (light + ShadeSH9(float4(normal, 1))), 1);
            }
            ENDHLSL
        }
    }
}
