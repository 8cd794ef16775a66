// RuckleCloth: a node that adds wrinkles to a skinned garment, the MeshInstance3D of another node. Normals are tilted per pixel.
//
// The node skins the garment on the CPU, steps wrinkle waves, and uploads a texture for the shader `wrinkles.gdshader`. For each
// vertex the texture contains covector, phases, amplitude, position and normal. The garment's mesh is not tessellated.
#pragma once

#include <ruckle/ruckle_c_garment.h>

#include <godot_cpp/classes/image_texture.hpp>
#include <godot_cpp/classes/mesh_instance3d.hpp>
#include <godot_cpp/classes/node3d.hpp>
#include <godot_cpp/classes/shader_material.hpp>
#include <godot_cpp/classes/skeleton3d.hpp>
#include <vector>

namespace ruckle_godot {

class RuckleCloth : public godot::Node3D {
    GDCLASS(RuckleCloth, godot::Node3D)

  public:
    ~RuckleCloth() override;

    void _ready() override;
    void _process(double delta) override;

    void set_garment(const godot::NodePath& path) { garment_path_ = path; }
    godot::NodePath get_garment() const { return garment_path_; }
    void set_height(double height) { height_ = height; }
    double get_height() const { return height_; }
    void set_gain(double gain);
    double get_gain() const { return gain_; }

  protected:
    static void _bind_methods();

  private:
    // Vertices of the garment in bind pose, with bones and weights.
    struct Bound {
        godot::PackedVector3Array positions;
        godot::PackedInt32Array bones;
        godot::PackedFloat32Array weights;
        int influences = 4;  // number of bones per vertex
    };
    bool read_mesh();
    void make_material(int face_count);
    void skin();
    void fail(const char* action) const;

    godot::NodePath garment_path_;
    double height_ = 1.7, gain_ = 1.5;
    godot::MeshInstance3D* garment_ = nullptr;
    godot::Skeleton3D* skeleton_ = nullptr;
    Bound bound_;
    std::vector<float> positions_;
    godot::PackedByteArray texels_;
    godot::Ref<godot::ImageTexture> texture_;
    godot::Ref<godot::ShaderMaterial> material_;
    ruckle_wave_options options_{};
    ruckle_garment* handle_ = nullptr;
};

}  // namespace ruckle_godot
