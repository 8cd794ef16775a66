/* OpenGL 4.1 without a window: a context, its functions, programs from the installed shaders, a picture to draw into. */
#ifndef RUCKLE_EXAMPLES_GL_H
#define RUCKLE_EXAMPLES_GL_H

#include <GL/glcorearb.h>

/* Every function of OpenGL that the example calls: its name, and the type of a pointer to it. */
#define GL_FUNCTIONS(F)                                                          \
    F(glActiveTexture, PFNGLACTIVETEXTUREPROC)                                   \
    F(glAttachShader, PFNGLATTACHSHADERPROC)                                     \
    F(glBindBuffer, PFNGLBINDBUFFERPROC)                                         \
    F(glBindBufferBase, PFNGLBINDBUFFERBASEPROC)                                 \
    F(glBindFramebuffer, PFNGLBINDFRAMEBUFFERPROC)                               \
    F(glBindRenderbuffer, PFNGLBINDRENDERBUFFERPROC)                             \
    F(glBindTexture, PFNGLBINDTEXTUREPROC)                                       \
    F(glBindVertexArray, PFNGLBINDVERTEXARRAYPROC)                               \
    F(glBlitFramebuffer, PFNGLBLITFRAMEBUFFERPROC)                               \
    F(glBufferData, PFNGLBUFFERDATAPROC)                                         \
    F(glCheckFramebufferStatus, PFNGLCHECKFRAMEBUFFERSTATUSPROC)                 \
    F(glClear, PFNGLCLEARPROC)                                                   \
    F(glClearColor, PFNGLCLEARCOLORPROC)                                         \
    F(glCompileShader, PFNGLCOMPILESHADERPROC)                                   \
    F(glCreateProgram, PFNGLCREATEPROGRAMPROC)                                   \
    F(glCreateShader, PFNGLCREATESHADERPROC)                                     \
    F(glDrawArrays, PFNGLDRAWARRAYSPROC)                                         \
    F(glEnable, PFNGLENABLEPROC)                                                 \
    F(glEnableVertexAttribArray, PFNGLENABLEVERTEXATTRIBARRAYPROC)               \
    F(glFinish, PFNGLFINISHPROC)                                                 \
    F(glFramebufferRenderbuffer, PFNGLFRAMEBUFFERRENDERBUFFERPROC)               \
    F(glGenBuffers, PFNGLGENBUFFERSPROC)                                         \
    F(glGenFramebuffers, PFNGLGENFRAMEBUFFERSPROC)                               \
    F(glGenRenderbuffers, PFNGLGENRENDERBUFFERSPROC)                             \
    F(glGenTextures, PFNGLGENTEXTURESPROC)                                       \
    F(glGenVertexArrays, PFNGLGENVERTEXARRAYSPROC)                               \
    F(glGetAttribLocation, PFNGLGETATTRIBLOCATIONPROC)                           \
    F(glGetProgramInfoLog, PFNGLGETPROGRAMINFOLOGPROC)                           \
    F(glGetProgramiv, PFNGLGETPROGRAMIVPROC)                                     \
    F(glGetShaderInfoLog, PFNGLGETSHADERINFOLOGPROC)                             \
    F(glGetShaderiv, PFNGLGETSHADERIVPROC)                                       \
    F(glGetString, PFNGLGETSTRINGPROC)                                           \
    F(glGetUniformLocation, PFNGLGETUNIFORMLOCATIONPROC)                         \
    F(glLinkProgram, PFNGLLINKPROGRAMPROC)                                       \
    F(glPatchParameteri, PFNGLPATCHPARAMETERIPROC)                               \
    F(glPixelStorei, PFNGLPIXELSTOREIPROC)                                       \
    F(glReadPixels, PFNGLREADPIXELSPROC)                                         \
    F(glRenderbufferStorageMultisample, PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC) \
    F(glShaderSource, PFNGLSHADERSOURCEPROC)                                     \
    F(glTexImage2D, PFNGLTEXIMAGE2DPROC)                                         \
    F(glTexParameteri, PFNGLTEXPARAMETERIPROC)                                   \
    F(glTexSubImage2D, PFNGLTEXSUBIMAGE2DPROC)                                   \
    F(glUniform1f, PFNGLUNIFORM1FPROC)                                           \
    F(glUniform1i, PFNGLUNIFORM1IPROC)                                           \
    F(glUniform3f, PFNGLUNIFORM3FPROC)                                           \
    F(glUseProgram, PFNGLUSEPROGRAMPROC)                                         \
    F(glVertexAttribIPointer, PFNGLVERTEXATTRIBIPOINTERPROC)                     \
    F(glViewport, PFNGLVIEWPORTPROC)

#define GL_DECLARE(name, type) extern type name;
GL_FUNCTIONS(GL_DECLARE)

/* Makes a context without a window and finds its functions; ends the program with a sentence if this fails. */
void open_gl(void);

/* The program of `count` files below a folder; the end of each name gives its stage. */
GLuint make_program(const char* folder, const char* const* files, int count);

/* Begins a picture of four samples a pixel, and returns its framebuffer. */
GLuint begin_picture(int width, int height);
/* Writes the picture as a PPM file. */
void write_picture(GLuint picture, const char* path, int width, int height);

#endif
