#include "gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <string.h>

#include "files.h"

#define GL_DEFINE(name, type) type name;
GL_FUNCTIONS(GL_DEFINE)

void open_gl(void) {
    static const EGLint any[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 1, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    const PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = NULL;
    EGLint count = 0;
    EGLContext context;
#ifdef EGL_PLATFORM_SURFACELESS_MESA
    if (display_of) {
        display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
#endif
    /* drivers without this platform work with the default display */
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) {
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
        if (!eglInitialize(display, NULL, NULL)) {
            stop("EGL", "there is no display");
        }
    }
    eglBindAPI(EGL_OPENGL_API);
    if (!eglChooseConfig(display, any, &config, 1, &count)) {
        stop("EGL", "has no configuration for OpenGL");
    }
    context = eglCreateContext(display, count > 0 ? config : NULL, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        stop("EGL", "gives no context of OpenGL 4.1 without a surface");
    }
#define GL_FIND(name, type)                  \
    name = (type)eglGetProcAddress(#name);   \
    if (!name) {                             \
        stop(#name, "is missing in OpenGL"); \
    }
    GL_FUNCTIONS(GL_FIND)
}

/* A string to which text is appended; its memory grows. */
typedef struct {
    char* bytes;
    size_t count;
} text;

static void append(text* all, const char* more) {
    const size_t count = strlen(more);
    all->bytes = realloc(all->bytes, all->count + count + 1);
    if (!all->bytes) {
        stop("memory", "the system has no memory left");
    }
    memcpy(all->bytes + all->count, more, count + 1);
    all->count += count;
}

/* Appends a shader file and its includes, each only once. `included` lists the names of the appended files. */
static void append_file(const char* folder, const char* name, text* included, text* all) {
    char line[512], path[1024], other[256];
    FILE* file;
    if (included->bytes && strstr(included->bytes, name)) {
        return;
    }
    append(included, name);
    append(included, "\n");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open_file(path);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "#include \"%255[^\"]\"", other) == 1) {
            append_file(folder, other, included, all);
        } else {
            append(all, line);
        }
    }
    fclose(file);
}

static GLenum stage_of(const char* file) {
    static const struct {
        const char* end;
        GLenum stage;
    } stages[] = {{".vert", GL_VERTEX_SHADER},
                  {".tesc", GL_TESS_CONTROL_SHADER},
                  {".tese", GL_TESS_EVALUATION_SHADER},
                  {".frag", GL_FRAGMENT_SHADER}};
    size_t i;
    for (i = 0; i < sizeof stages / sizeof stages[0]; ++i) {
        if (strstr(file, stages[i].end)) {
            return stages[i].stage;
        }
    }
    stop(file, "is no shader");
    return 0;
}

static GLuint compile(const char* folder, const char* file) {
    text source = {NULL, 0}, included = {NULL, 0};
    const GLuint shader = glCreateShader(stage_of(file));
    const char* bytes;
    char log[4096];
    GLint compiled;
    append(&source, "#version 410 core\n");
    append_file(folder, file, &included, &source);
    bytes = source.bytes;
    glShaderSource(shader, 1, &bytes, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        stop(file, log);
    }
    free(source.bytes);
    free(included.bytes);
    return shader;
}

GLuint make_program(const char* folder, const char* const* files, int count) {
    const GLuint program = glCreateProgram();
    char log[4096];
    GLint linked;
    int i;
    for (i = 0; i < count; ++i) {
        glAttachShader(program, compile(folder, files[i]));
    }
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        stop(files[0], log);
    }
    return program;
}

/* Creates and binds a framebuffer with `samples` samples per pixel. */
static GLuint make_target(int width, int height, int samples) {
    GLuint target, buffers[2];
    glGenFramebuffers(1, &target);
    glGenRenderbuffers(2, buffers);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        stop("OpenGL", "cannot draw into a picture of this size");
    }
    return target;
}

GLuint begin_picture(int width, int height) {
    const GLuint picture = make_target(width, height, 4);
    glViewport(0, 0, width, height);
    glEnable(GL_DEPTH_TEST);
    return picture;
}

void write_picture(GLuint picture, const char* path, int width, int height) {
    unsigned char* pixels = room_for((size_t)width * (size_t)height, 3);
    FILE* file = fopen(path, "wb");
    GLuint resolved;
    int row;
    if (!file) {
        stop(path, "cannot be written");
    }
    resolved = make_target(width, height, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, picture);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    fprintf(file, "P6 %d %d 255\n", width, height);
    /* in OpenGL the first row is at the bottom */
    for (row = height - 1; row >= 0; --row) {
        fwrite(pixels + 3 * (size_t)width * (size_t)row, 3, (size_t)width, file);
    }
    fclose(file);
    free(pixels);
}
