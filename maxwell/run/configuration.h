/* configuration.json: what a run was asked for, each key of the simulation with its default where the script has none.
 *
 *   { "schema": 1, "version": "0.1.0", "script": "cavity.lua", "args": {"L": "0.5"}, "set": {},
 *     "files": ["cavity.geo"], "simulation": { ... } }
 *
 * The manual describes the schema. It grows by keys; where one changes its meaning or goes, MX_CONFIGURATION_SCHEMA
 * becomes one more. */
#pragma once

#include "maxwell/scene/scene.h"
#include "maxwell/shell/folder.h"

#define MX_CONFIGURATION_SCHEMA 1

/* Writes the file whole or not at all, on one rank, once the folder is the run's. A configuration that a program in C
 * has made has no table: then there is no file. */
int mx_configuration_write(const struct mx_scene *scene, const struct mx_folder *folder,
                           struct dg_error *err) DG_MUST_USE;
