// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {UsdcStandIn} from "../../src/usdc/UsdcStandIn.sol";
import {Signing} from "../base/Signing.sol";

/// @dev Takes what it can with a wallet's session key and an operator key. A session's whole purchase allowance counts
/// as taken when the session opens, because the thief can take it in the same second; it takes some in fact.
contract Thief is Signing {
    uint256 private constant SESSION = 0x5e55;
    uint256 private constant OPERATOR = 0x09e7;
    uint64 private constant CAP = 10_000e6;

    AgentWallet private immutable WALLET;
    UsdcStandIn private immutable USDC;

    struct Move {
        uint256 at;
        uint256 amount;
    }

    /// @dev Micro-USDC.
    uint256 public moved;
    mapping(uint32 epoch => uint256) public bought;
    Move[] private _moves;
    uint32 private _number;

    constructor(AgentWallet wallet, UsdcStandIn usdc, uint16 allowance) {
        WALLET = wallet;
        USDC = usdc;
        _take(uint256(allowance) * 1e6);
    }

    /// @dev Mostly everything that is left.
    function send(uint64 seed) public {
        AgentWallet.State memory state = WALLET.state();
        uint64 amount = seed % 3 == 0 ? seed % (state.remaining + 1) : state.remaining;
        uint48 deadline = uint48(_now());
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(WALLET), address(this), amount, state.top + 1, deadline);
        (bool success,) = address(WALLET).call(
            abi.encodeCall(AgentWallet.send, (address(this), amount, state.top + 1, deadline, r, vs))
        );
        if (success) _take(amount);
    }

    /// @dev Mostly a number that was not used yet.
    function buy(uint32 seed) public {
        AgentWallet.State memory state = WALLET.state();
        uint8 class = uint8(seed % 3);
        uint64 value = [uint64(10_000), 100_000, 1_000_000][class];
        Buy memory b = Buy(address(this), value, uint48(_now() + 300), class, seed % 5 == 0 ? seed : _number++);
        bytes32 digest = purchaseDigest(address(USDC), address(WALLET), state.epoch, b);
        (bool success,) = address(USDC).call(
            abi.encodeWithSignature(
                "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                WALLET,
                b.to,
                b.value,
                0,
                b.validBefore,
                purchaseNonce(state.epoch, b),
                packPurchase(SESSION, digest, b)
            )
        );
        if (success) bought[state.epoch] += value;
    }

    function rotate(uint64 limitSeed, uint16 allowanceSeed) public {
        AgentWallet.State memory state = WALLET.state();
        uint64 left = CAP > state.grantedToday ? CAP - state.grantedToday : 0;
        // Often the highest limit that may pass: the cap, what the day still allows, or what the session has left.
        uint64 limit = [CAP, left, left + state.remaining, state.remaining, limitSeed % CAP][limitSeed % 5];
        if (limit > CAP) limit = CAP;
        uint16 allowance = uint16(allowanceSeed % 3 == 0 ? limit / 1e6 : allowanceSeed % (limit / 1e6 + 1));
        uint40 until = uint40(_now() + 90 days);
        uint48 deadline = uint48(_now());
        address key = vm.addr(SESSION);
        (bytes32 r, bytes32 vs) =
            signRotate(OPERATOR, address(WALLET), key, limit, allowance, until, state.epoch, deadline);
        (bool success,) = address(WALLET).call(
            abi.encodeCall(AgentWallet.rotateSessionKey, (key, limit, allowance, until, state.epoch, deadline, r, vs))
        );
        if (!success) return;
        _number = 0;
        _take(uint256(allowance) * 1e6);
    }

    function rotateAndTake(uint64 limitSeed, uint16 allowanceSeed, uint64 amountSeed) external {
        rotate(limitSeed, allowanceSeed);
        buy(uint32(limitSeed));
        send(amountSeed);
    }

    /// @dev Minutes, hours, or to the second before or after midnight.
    function wait_(uint256 seed) external {
        uint256 midnight = (_now() / 1 days + 1) * 1 days;
        if (seed % 3 == 0) vm.warp(midnight - seed / 3 % 2);
        else vm.warp(_now() + (seed % 3 == 1 ? seed % 1 hours : seed % 12 hours));
    }

    function _take(uint256 amount) private {
        moved += amount;
        _moves.push(Move(_now(), amount));
        uint256 within;
        for (uint256 i = _moves.length; i > 0 && _moves[i - 1].at + 1 days > _now(); --i) {
            within += _moves[i - 1].amount;
        }
        vm.assertLe(within, 3 * uint256(CAP), "1: more than a session and two grants in 24 hours");
    }

    function _now() private view returns (uint256) {
        return vm.getBlockTimestamp();
    }
}
