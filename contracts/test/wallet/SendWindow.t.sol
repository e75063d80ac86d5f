// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SendWindowProbe} from "../../probe/SendWindowProbe.sol";
import {SendWindow} from "../../src/SendWindow.sol";
import {Signing} from "../base/Signing.sol";

/// @dev Compares the window with a simple model: a mapping of used nonces, the highest accepted nonce, and the budget.
contract SendWindowTest is Signing {
    using SendWindow for uint256;

    SendWindowProbe private _window;
    mapping(uint64 nonce => bool) private _used;
    uint64 private _highest;
    uint48 private _left;

    function setUp() public {
        _window = SendWindowProbe(deploy("SendWindowProbe", ""));
    }

    function _modelAccepts(uint64 amount, uint64 nonce) private view returns (bool) {
        if (amount > _left || _used[nonce]) return false;
        return nonce > _highest || _highest - nonce <= 127;
    }

    /// @dev 24 nonces around `start`, some far away, some repeated: result, budget, top and bits equal the model's.
    function _compareSequence(uint64 start, uint48 limit, uint256 seed) private {
        _highest = start;
        _left = limit;
        uint16 allowance = uint16(seed >> 200);
        uint256 word = (uint256(limit) << 208) | (uint256(allowance) << 192) | (uint256(start) << 128);
        for (uint256 i = 0; i < 24; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint64 nonce;
            unchecked {
                // Mostly near the top, sometimes exactly at the edge of the window, sometimes anywhere.
                uint256 kind = seed % 8;
                if (kind < 5) nonce = _highest - 140 + uint64((seed >> 8) % 280);
                else if (kind == 5) nonce = _highest - 127;
                else if (kind == 6) nonce = _highest - 128;
                else nonce = uint64(seed >> 8);
            }
            uint64 amount = uint64((seed >> 72) % (uint256(limit) / 12 + 2));

            bool accepts = _modelAccepts(amount, nonce);
            try _window.consume(word, amount, nonce) returns (uint256 next) {
                vm.assertTrue(accepts, "accepted a nonce that the model refuses");
                word = next;
                _used[nonce] = true;
                if (nonce > _highest) _highest = nonce;
                _left -= uint48(amount);
            } catch {
                vm.assertFalse(accepts, "refused a nonce that the model accepts");
            }
            vm.assertEq(word.top(), _highest);
            vm.assertEq(word.remaining(), _left);
            vm.assertEq(word.purchaseAllowance(), allowance);
        }
        for (uint256 behind = 0; behind < 128 && behind <= _highest; ++behind) {
            vm.assertEq((word.seen() >> behind) & 1 == 1, _used[uint64(_highest - behind)]);
        }
    }

    function testFuzz_window_equalsTheModel(uint64 start, uint48 limit, uint256 seed) public {
        _compareSequence(start, limit, seed);
    }

    function testFuzz_window_equalsTheModel_nearZero(uint8 start, uint48 limit, uint256 seed) public {
        _compareSequence(start, limit, seed);
    }

    function testFuzz_window_equalsTheModel_nearTheHighestNonce(uint8 below, uint48 limit, uint256 seed) public {
        _compareSequence(type(uint64).max - below, limit, seed);
    }

    /// @dev The end of an epoch: sequence 2^32 − 1 and its neighbours.
    function testFuzz_window_equalsTheModel_nearTheLastSequence(uint32 epoch, uint8 below, uint48 limit, uint256 seed)
        public
    {
        _compareSequence((uint64(epoch) << 32 | type(uint32).max) - below, limit, seed);
    }

    /// @dev One step from an arbitrary word.
    function testFuzz_window_followsTheRule_fromAnArbitraryWord(
        uint48 left,
        uint16 allowance,
        uint64 top,
        uint128 seen,
        uint64 amount,
        uint64 nonce
    ) public view {
        uint256 word = (uint256(left) << 208) | (uint256(allowance) << 192) | (uint256(top) << 128) | seen;
        bool ahead = nonce > top;
        bool fresh = ahead || (top - nonce <= 127 && (seen >> (top - nonce)) & 1 == 0);
        try _window.consume(word, amount, nonce) returns (uint256 next) {
            vm.assertTrue(fresh && amount <= left, "accepted");
            vm.assertEq(next.remaining(), left - amount);
            vm.assertEq(next.purchaseAllowance(), allowance);
            vm.assertEq(next.top(), ahead ? nonce : top);
            uint256 shift = ahead ? nonce - top : 0;
            uint256 kept = shift > 127 ? 0 : uint256(seen) << shift;
            uint256 bit = uint256(1) << (ahead ? 0 : top - nonce);
            vm.assertEq(next.seen(), uint128(kept) | bit);
            // The nonce is never accepted twice.
            try _window.consume(next, 0, nonce) returns (uint256) {
                vm.assertTrue(false, "accepted twice");
            } catch {}
        } catch {
            vm.assertFalse(fresh && amount <= left, "refused");
        }
    }

    function testFuzz_window_acceptsANonceAheadOfTheTop(uint64 top, uint128 seen, uint8 step) public view {
        uint256 word = (uint256(1) << 208) | (uint256(top) << 128) | seen;
        uint64 ahead = uint64(bound(step, 1, 255));
        vm.assume(top <= type(uint64).max - ahead);
        vm.assertEq(_window.consume(word, 1, top + ahead).top(), top + ahead);
    }

    /// @dev 128 consecutive nonces in any order: each is accepted once.
    function testFuzz_window_accepts128NoncesInAnyOrder(uint32 epoch, uint256 seed) public view {
        uint256 word = _window.open(128, 0, epoch);
        uint64[] memory nonces = new uint64[](128);
        for (uint64 i = 0; i < 128; ++i) {
            nonces[i] = (uint64(epoch) << 32) + i;
        }
        for (uint256 i = 127; i > 0; --i) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 j = seed % (i + 1);
            (nonces[i], nonces[j]) = (nonces[j], nonces[i]);
        }
        for (uint256 i = 0; i < 128; ++i) {
            word = _window.consume(word, 1, nonces[i]);
        }
        vm.assertEq(word.seen(), type(uint128).max);
        vm.assertEq(word.remaining(), 0);
        for (uint256 i = 0; i < 128; ++i) {
            try _window.consume(word, 0, nonces[i]) returns (uint256) {
                vm.assertTrue(false, "accepted twice");
            } catch {}
        }
    }

    function testFuzz_open_returnsAnUnusedWindow(uint48 limit, uint16 allowance, uint32 epoch) public view {
        allowance = uint16(bound(allowance, 0, limit / 1e6 > type(uint16).max ? type(uint16).max : limit / 1e6));
        uint256 word = _window.open(limit, allowance, epoch);
        vm.assertEq(word.remaining(), limit - uint256(allowance) * 1e6);
        vm.assertEq(word.purchaseAllowance(), allowance);
        vm.assertEq(word.epoch(), epoch);
        vm.assertEq(word.top(), uint64(epoch) << 32);
        vm.assertEq(word.seen(), 0);
    }
}
