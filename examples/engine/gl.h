/* OpenGL 4.1 without a window: a context, the functions of OpenGL, shader programs, and a framebuffer for a picture. */
#ifndef RUCKLE_EXAMPLES_GL_H
#define RUCKLE_EXAMPLES_GL_H

#include <GL/glcorearb.h>

/* List of the OpenGL functions that the example calls: name, type of the function pointer. */
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

/* Creates a context without a window and loads the OpenGL functions. On failure it prints a message and ends the program. */
void open_gl(void);

/* Returns a program from `count` shader files in a folder. The suffix of each file determines its stage. */
GLuint make_program(const char* folder, const char* const* files, int count);

/* Creates a framebuffer with four samples per pixel, in which to draw the picture. */
GLuint begin_picture(int width, int height);
/* Writes the framebuffer of begin_picture to a PPM file. */
void write_picture(GLuint picture, const char* path, int width, int height);

#endif
