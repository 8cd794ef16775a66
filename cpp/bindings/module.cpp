#include <pybind11/pybind11.h>

#include "ruckle/types.h"

namespace py = pybind11;

namespace ruckle::bindings {
void bind_stages(py::module_& module);
void bind_paths(py::module_& module);
void bind_patterns(py::module_& module);
void bind_heights(py::module_& module);
void bind_waves(py::module_& module);
void bind_surface(py::module_& module);
void bind_wrinkler(py::module_& module);
void bind_simulation(py::module_& module);
void bind_upsampling(py::module_& module);
void bind_pose_space(py::module_& module);
}  // namespace ruckle::bindings

PYBIND11_MODULE(_core, module) {
    module.doc() = "The compiled core of ruckle; use it through the package ruckle.";
    module.attr("__version__") = RUCKLE_VERSION;
    // the translator is registered for this module only, so that it does not handle exceptions of other extension
    // modules
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const ruckle::MeshError& error) {
            // imported only when an error occurs, because the package that contains MeshError imports this module
            py::set_error(py::module_::import("ruckle.errors").attr("MeshError"), error.what());
        } catch (const ruckle::ResourceError& error) {
            py::set_error(PyExc_OSError, error.what());
        }
    });
    // order: base classes before derived classes, and classes before functions with arguments of these classes
    ruckle::bindings::bind_stages(module);
    ruckle::bindings::bind_paths(module);
    ruckle::bindings::bind_heights(module);
    ruckle::bindings::bind_waves(module);
    ruckle::bindings::bind_patterns(module);
    ruckle::bindings::bind_surface(module);
    ruckle::bindings::bind_wrinkler(module);
    ruckle::bindings::bind_simulation(module);
    ruckle::bindings::bind_upsampling(module);
    ruckle::bindings::bind_pose_space(module);
}
