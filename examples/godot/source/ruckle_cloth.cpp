#include "ruckle_cloth.h"

#include <cstring>
#include <godot_cpp/classes/array_mesh.hpp>
#include <godot_cpp/classes/image.hpp>
#include <godot_cpp/classes/mesh.hpp>
#include <godot_cpp/classes/resource_loader.hpp>
#include <godot_cpp/classes/shader.hpp>
#include <godot_cpp/classes/skin.hpp>
#include <godot_cpp/core/class_db.hpp>
#include <godot_cpp/godot.hpp>
#include <godot_cpp/variant/utility_functions.hpp>

namespace ruckle_godot {

using namespace godot;

namespace {

// Texels per vertex. They contain twelve numbers: covector, phase, fine phase, amplitude, position, normal.
constexpr int texel_count = 3;

}  // namespace

RuckleCloth::~RuckleCloth() {
    ruckle_garment_destroy(handle_);
}

void RuckleCloth::_bind_methods() {
    ClassDB::bind_method(D_METHOD("set_garment", "path"), &RuckleCloth::set_garment);
    ClassDB::bind_method(D_METHOD("get_garment"), &RuckleCloth::get_garment);
    ClassDB::bind_method(D_METHOD("set_height", "height"), &RuckleCloth::set_height);
    ClassDB::bind_method(D_METHOD("get_height"), &RuckleCloth::get_height);
    ClassDB::bind_method(D_METHOD("set_gain", "gain"), &RuckleCloth::set_gain);
    ClassDB::bind_method(D_METHOD("get_gain"), &RuckleCloth::get_gain);
    ADD_PROPERTY(PropertyInfo(Variant::NODE_PATH, "garment"), "set_garment", "get_garment");
    ADD_PROPERTY(PropertyInfo(Variant::FLOAT, "height"), "set_height", "get_height");
    ADD_PROPERTY(PropertyInfo(Variant::FLOAT, "gain"), "set_gain", "get_gain");
}

void RuckleCloth::fail(const char* action) const {
    UtilityFunctions::push_error("ruckle: ", action, ": ", String::utf8(ruckle_error_message()));
}

void RuckleCloth::set_gain(double gain) {
    gain_ = gain;
    options_.gain = static_cast<float>(gain);
    // the library changes heights slowly, so that they do not jump
    if (handle_ && ruckle_garment_set_options(handle_, nullptr, &options_) != RUCKLE_OK) {
        fail("gain");
    }
}

void RuckleCloth::_ready() {
    garment_ = Object::cast_to<MeshInstance3D>(get_node_or_null(garment_path_));
    if (!garment_) {
        UtilityFunctions::push_error("ruckle: garment: expected the path of a MeshInstance3D, got ", garment_path_);
        return;
    }
    skeleton_ = Object::cast_to<Skeleton3D>(garment_->get_node_or_null(garment_->get_skeleton_path()));
    if (!skeleton_ || !read_mesh()) {
        UtilityFunctions::push_error("ruckle: garment: expected a skinned mesh with one surface of triangles without indices");
    }
}

bool RuckleCloth::read_mesh() {
    const Ref<Mesh> mesh = garment_->get_mesh();
    if (mesh.is_null() || mesh->get_surface_count() < 1) {
        return false;
    }
    const Array arrays = mesh->surface_get_arrays(0);
    bound_.positions = arrays[Mesh::ARRAY_VERTEX];
    bound_.bones = arrays[Mesh::ARRAY_BONES];
    bound_.weights = arrays[Mesh::ARRAY_WEIGHTS];
    const PackedInt32Array indices = arrays[Mesh::ARRAY_INDEX];
    const int count = static_cast<int>(bound_.positions.size()), face_count = count / 3;
    // the shader computes triangle and corner from the vertex index, so the mesh must not have indices
    if (count == 0 || count % 3 != 0 || !indices.is_empty() || bound_.bones.size() < 4 * count) {
        return false;
    }
    bound_.influences = static_cast<int>(bound_.bones.size()) / count;
    // front faces are clockwise in Godot and counterclockwise in the library: exchange two corners, as the shader does
    std::vector<uint32_t> faces;
    for (uint32_t v = 0; v < static_cast<uint32_t>(count); v += 3) {
        faces.insert(faces.end(), {v, v + 2, v + 1});
    }
    positions_.resize(3 * static_cast<size_t>(count));
    for (int v = 0; v < count; ++v) {
        const Vector3 position = bound_.positions[v];
        const float xyz[3] = {static_cast<float>(position.x), static_cast<float>(position.y), static_cast<float>(position.z)};
        std::memcpy(positions_.data() + 3 * v, xyz, sizeof xyz);
    }
    const ruckle_garment_mesh given = {positions_.data(), 0, count, faces.data(), 4, face_count, 1};
    ruckle_waves_default_options(&options_);
    options_.r_min = 0.005f * static_cast<float>(height_);
    options_.gain = static_cast<float>(gain_);
    if (ruckle_garment_create(&given, nullptr, &options_, &handle_) != RUCKLE_OK) {
        fail("garment");
        return false;
    }
    make_material(face_count);
    return true;
}

// Makes the material with a constant texture of the rest pose and a texture that changes in each frame.
void RuckleCloth::make_material(int face_count) {
    const int count = static_cast<int>(bound_.positions.size()), rows = (face_count + count + 1023) / 1024;
    PackedByteArray rest;
    rest.resize(16 * 1024 * rows);
    float profile[4];
    if (ruckle_waves_write_rest_texels(ruckle_garment_waves(handle_), reinterpret_cast<float*>(rest.ptrw()), profile) !=
        RUCKLE_OK) {
        fail("rest pose");
        return;
    }
    texels_.resize(16 * texel_count * count);
    texture_ = ImageTexture::create_from_image(Image::create_from_data(texel_count, count, false, Image::FORMAT_RGBAF, texels_));
    material_.instantiate();
    material_->set_shader(ResourceLoader::get_singleton()->load("res://wrinkles.gdshader"));
    material_->set_shader_parameter(
        "rest_table", ImageTexture::create_from_image(Image::create_from_data(1024, rows, false, Image::FORMAT_RGBAF, rest)));
    material_->set_shader_parameter("frame_table", texture_);
    material_->set_shader_parameter("face_count", face_count);
    material_->set_shader_parameter("wave_profile", Vector4(profile[0], profile[1], profile[2], profile[3]));
    garment_->set_surface_override_material(0, material_);
}

// Computes the positions of the frame by linear blend skinning, as the vertex shader of Godot does.
void RuckleCloth::skin() {
    const Ref<Skin> skin = garment_->get_skin();
    std::vector<Transform3D> bones(static_cast<size_t>(skin.is_valid() ? skin->get_bind_count() : skeleton_->get_bone_count()));
    for (size_t i = 0; i < bones.size(); ++i) {
        const int index = static_cast<int>(i);
        int bone = skin.is_valid() ? skin->get_bind_bone(index) : index;
        if (skin.is_valid() && bone < 0) {
            bone = skeleton_->find_bone(skin->get_bind_name(index));
        }
        const Transform3D bind =
            skin.is_valid() ? skin->get_bind_pose(index) : skeleton_->get_bone_global_rest(bone).affine_inverse();
        bones[i] = skeleton_->get_bone_global_pose(bone) * bind;
    }
    const Vector3* rest = bound_.positions.ptr();
    const int32_t* numbers = bound_.bones.ptr();
    const float* weights = bound_.weights.ptr();
    for (int v = 0; v < bound_.positions.size(); ++v) {
        Vector3 sum;
        for (int k = 0; k < bound_.influences; ++k) {
            const int slot = bound_.influences * v + k;
            sum += weights[slot] * bones[static_cast<size_t>(numbers[slot])].xform(rest[v]);
        }
        positions_[3 * v] = static_cast<float>(sum.x);
        positions_[3 * v + 1] = static_cast<float>(sum.y);
        positions_[3 * v + 2] = static_cast<float>(sum.z);
    }
}

void RuckleCloth::_process(double delta) {
    if (!handle_ || delta <= 0.0) {
        return;
    }
    skin();
    if (ruckle_garment_step(handle_, positions_.data(), 0, static_cast<float>(delta)) != RUCKLE_OK ||
        ruckle_garment_write_vertices(handle_, reinterpret_cast<float*>(texels_.ptrw())) != RUCKLE_OK) {
        fail("step");
        return;
    }
    const int count = static_cast<int>(positions_.size() / 3);
    texture_->update(Image::create_from_data(texel_count, count, false, Image::FORMAT_RGBAF, texels_));
}

}  // namespace ruckle_godot

namespace {

void start(godot::ModuleInitializationLevel level) {
    if (level == godot::MODULE_INITIALIZATION_LEVEL_SCENE) {
        godot::ClassDB::register_class<ruckle_godot::RuckleCloth>();
    }
}

void end(godot::ModuleInitializationLevel) {}

}  // namespace

extern "C" GDExtensionBool GDE_EXPORT ruckle_godot_init(GDExtensionInterfaceGetProcAddress get_address,
                                                        GDExtensionClassLibraryPtr library,
                                                        GDExtensionInitialization* initialization) {
    godot::GDExtensionBinding::InitObject init(get_address, library, initialization);
    init.register_initializer(start);
    init.register_terminator(end);
    init.set_minimum_library_initialization_level(godot::MODULE_INITIALIZATION_LEVEL_SCENE);
    return init.init();
}
