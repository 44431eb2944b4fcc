#include "inject/session.h"

namespace egpu::inject {

constinit Session session;

}  // namespace egpu::inject
