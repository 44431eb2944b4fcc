// The objects behind the driver's handles: a handle is the address of its object.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace egpu::emu::driver {

// Thread-safe. An object lives as long as somebody holds what find() gave, whatever happens to the
// handle meanwhile.
template <class Handle, class Object>
class Handles {
 public:
  static Handle of(const Object* object) {
    return reinterpret_cast<Handle>(const_cast<Object*>(object));
  }

  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const Handle handle = of(object.get());
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  // Null: the handle is not, or no longer, one.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found != objects_.end() ? found->second : nullptr;
  }

  std::shared_ptr<Object> remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  // Removes those for which `condition` holds, and gives them.
  template <class Condition>
  std::vector<std::shared_ptr<Object>> remove_if(Condition&& condition) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> removed;
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (!condition(*entry->second)) {
        ++entry;
        continue;
      }
      removed.push_back(std::move(entry->second));
      entry = objects_.erase(entry);
    }
    return removed;
  }

  // In no order.
  std::vector<std::shared_ptr<Object>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    objects.reserve(objects_.size());
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace egpu::emu::driver
