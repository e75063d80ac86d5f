// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {UsdcStandIn} from "../src/UsdcStandIn.sol";
import {UsdcStandInProxy} from "../src/UsdcStandInProxy.sol";
import {Base} from "./base/Base.sol";

contract UsdcStandInTest is Base {
    uint256 private constant ALICE = 0xa1;
    uint256 private constant HOLDING = 100e6;
    address private alice;

    function setUp() public override {
        super.setUp();
        alice = vm.addr(ALICE);
        mint(alice, HOLDING);
    }

    function _sign(uint256 key, bytes memory encoded) private view returns (uint8, bytes32, bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("USD Coin"),
                keccak256("2"),
                block.chainid,
                address(usdc)
            )
        );
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, keccak256(encoded))));
    }

    function _signTransfer(
        bool receiving,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce
    ) private view returns (uint8, bytes32, bytes32) {
        bytes32 typeHash = receiving
            ? keccak256(
                "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
            )
            : keccak256(
                "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
            );
        return _sign(ALICE, abi.encode(typeHash, alice, to, value, validAfter, validBefore, nonce));
    }

    function _error(string memory text) private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", text);
    }

    function test_metadata_isUsdcs() public view {
        vm.assertEq(usdc.name(), "USD Coin");
        vm.assertEq(usdc.symbol(), "USDC");
        vm.assertEq(usdc.version(), "2");
        vm.assertEq(usdc.decimals(), 6);
        vm.assertEq(usdc.totalSupply(), FUNDS + HOLDING);
    }

    function testFuzz_transfer_moves(address to, uint256 value) public {
        vm.assume(to != address(0) && to != address(usdc) && to != alice && to != address(wallet));
        value = bound(value, 0, HOLDING);
        vm.expectEmit(address(usdc));
        emit IERC20.Transfer(alice, to, value);
        vm.prank(alice);
        vm.assertTrue(usdc.transfer(to, value), "refused");
        vm.assertEq(usdc.balanceOf(alice), HOLDING - value);
        vm.assertEq(usdc.balanceOf(to), value);
    }

    function test_transfer_toItselfChangesNothing() public {
        vm.prank(alice);
        usdc.transfer(alice, 5);
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
    }

    function test_transfer_reverts_aboveTheBalance_andToZero() public {
        vm.expectRevert(_error("ERC20: transfer amount exceeds balance"));
        vm.prank(alice);
        usdc.transfer(RECIPIENT, HOLDING + 1);
        vm.expectRevert(_error("ERC20: transfer to the zero address"));
        vm.prank(alice);
        usdc.transfer(address(0), 1);
    }

    function testFuzz_transferFrom_usesTheAllowance(uint256 allowed, uint256 value) public {
        value = bound(value, 0, HOLDING);
        vm.prank(alice);
        usdc.approve(STRANGER, allowed);
        if (value > allowed) vm.expectRevert(_error("ERC20: transfer amount exceeds allowance"));
        vm.prank(STRANGER);
        usdc.transferFrom(alice, RECIPIENT, value);
        if (value > allowed) return;
        vm.assertEq(usdc.balanceOf(RECIPIENT), value);
        vm.assertEq(usdc.allowance(alice, STRANGER), allowed == type(uint256).max ? type(uint256).max : allowed - value);
    }

    function testFuzz_transferWithAuthorization_bothForms(bool packed, uint256 value, bytes32 nonce) public {
        value = bound(value, 0, HOLDING);
        (uint8 v, bytes32 r, bytes32 s) = _signTransfer(false, RECIPIENT, value, START - 1, START + 1, nonce);
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.AuthorizationUsed(alice, nonce);
        vm.expectEmit(address(usdc));
        emit IERC20.Transfer(alice, RECIPIENT, value);
        if (packed) {
            usdc.transferWithAuthorization(
                alice, RECIPIENT, value, START - 1, START + 1, nonce, abi.encodePacked(r, s, v)
            );
        } else {
            usdc.transferWithAuthorization(alice, RECIPIENT, value, START - 1, START + 1, nonce, v, r, s);
        }
        vm.assertTrue(usdc.authorizationState(alice, nonce), "unused");
        vm.assertEq(usdc.balanceOf(RECIPIENT), value);

        vm.expectRevert(_error("FiatTokenV2: authorization is used or canceled"));
        usdc.transferWithAuthorization(alice, RECIPIENT, value, START - 1, START + 1, nonce, v, r, s);
    }

    function test_transferWithAuthorization_isValidStrictlyBetweenItsBounds() public {
        (uint8 v, bytes32 r, bytes32 s) = _signTransfer(false, RECIPIENT, 1, START, START + 10, 0);
        vm.expectRevert(_error("FiatTokenV2: authorization is not yet valid"));
        usdc.transferWithAuthorization(alice, RECIPIENT, 1, START, START + 10, 0, v, r, s);
        vm.warp(START + 10);
        vm.expectRevert(_error("FiatTokenV2: authorization is expired"));
        usdc.transferWithAuthorization(alice, RECIPIENT, 1, START, START + 10, 0, v, r, s);
        vm.warp(START + 9);
        usdc.transferWithAuthorization(alice, RECIPIENT, 1, START, START + 10, 0, v, r, s);
    }

    function testFuzz_transferWithAuthorization_reverts_whenChanged(address to, uint256 value) public {
        vm.assume((to != RECIPIENT || value != 1) && to != address(usdc));
        (uint8 v, bytes32 r, bytes32 s) = _signTransfer(false, RECIPIENT, 1, 0, START + 10, 0);
        vm.expectRevert(_error("FiatTokenV2: invalid signature"));
        usdc.transferWithAuthorization(alice, to, value, 0, START + 10, 0, v, r, s);
    }

    function test_receiveWithAuthorization_isForThePayeeOnly() public {
        (uint8 v, bytes32 r, bytes32 s) = _signTransfer(true, RECIPIENT, 5, 0, START + 10, "n");
        vm.expectRevert(_error("FiatTokenV2: caller must be the payee"));
        usdc.receiveWithAuthorization(alice, RECIPIENT, 5, 0, START + 10, "n", v, r, s);
        vm.prank(RECIPIENT);
        usdc.receiveWithAuthorization(alice, RECIPIENT, 5, 0, START + 10, "n", v, r, s);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5);
    }

    /// @dev A4: after a cancel the authorization reads as used, and nothing was paid.
    function test_A4_cancelAuthorization_readsAsUsed_withoutPayment() public {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        (uint8 v, bytes32 r, bytes32 s) = _sign(ALICE, abi.encode(typeHash, alice, bytes32("n")));
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.AuthorizationCanceled(alice, "n");
        usdc.cancelAuthorization(alice, "n", v, r, s);
        vm.assertTrue(usdc.authorizationState(alice, "n"), "unused");
        vm.assertEq(usdc.balanceOf(alice), HOLDING);

        (v, r, s) = _signTransfer(false, RECIPIENT, 1, 0, START + 10, "n");
        vm.expectRevert(_error("FiatTokenV2: authorization is used or canceled"));
        usdc.transferWithAuthorization(alice, RECIPIENT, 1, 0, START + 10, "n", v, r, s);
    }

    function test_cancelAuthorization_reverts_forOthers() public {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        (uint8 v, bytes32 r, bytes32 s) = _sign(OWNER, abi.encode(typeHash, alice, bytes32("n")));
        vm.expectRevert(_error("FiatTokenV2: invalid signature"));
        usdc.cancelAuthorization(alice, "n", abi.encodePacked(r, s, v));
    }

    /// @dev A4: a payer with code is asked by ERC-1271, so an account that is a wallet of ours can never pay this way.
    function test_A4_transferWithAuthorization_reverts_fromAWallet() public {
        (uint8 v, bytes32 r, bytes32 s) = _sign(
            SESSION,
            abi.encode(
                usdc.TRANSFER_WITH_AUTHORIZATION_TYPEHASH(), address(wallet), RECIPIENT, 1, 0, START + 10, bytes32(0)
            )
        );
        vm.expectRevert(_error("FiatTokenV2: invalid signature"));
        usdc.transferWithAuthorization(address(wallet), RECIPIENT, 1, 0, START + 10, 0, abi.encodePacked(r, s, v));
    }

    function testFuzz_permit_approvesOnce(uint256 value) public {
        bytes memory encoded = abi.encode(usdc.PERMIT_TYPEHASH(), alice, STRANGER, value, 0, START);
        (uint8 v, bytes32 r, bytes32 s) = _sign(ALICE, encoded);
        usdc.permit(alice, STRANGER, value, START, v, r, s);
        vm.assertEq(usdc.allowance(alice, STRANGER), value);
        vm.assertEq(usdc.nonces(alice), 1);
        vm.expectRevert(_error("FiatTokenV2: invalid signature"));
        usdc.permit(alice, STRANGER, value, START, abi.encodePacked(r, s, v));
        vm.warp(START + 1);
        vm.expectRevert(_error("FiatTokenV2: permit is expired"));
        usdc.permit(alice, STRANGER, value, START, v, r, s);
    }

    function test_pause_stopsTransfers() public {
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.Pause();
        vm.prank(ADMIN);
        usdc.pause();
        vm.expectRevert(_error("Pausable: paused"));
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.Unpause();
        vm.prank(ADMIN);
        usdc.unpause();
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
    }

    function test_blacklist_stopsBothDirections_andKeepsTheBalance() public {
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.Blacklisted(alice);
        setBlacklisted(alice, true);
        vm.assertTrue(usdc.isBlacklisted(alice), "not listed");
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
        bytes memory reason = _error("Blacklistable: account is blacklisted");
        vm.expectRevert(reason);
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
        vm.expectRevert(reason);
        vm.prank(address(wallet));
        usdc.transfer(alice, 1);
        setBlacklisted(alice, false);
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
    }

    function test_mint_isForMinters() public {
        vm.expectRevert(_error("FiatToken: caller is not a minter"));
        usdc.mint(alice, 1);
        vm.prank(ADMIN);
        usdc.setMinter(STRANGER, true);
        vm.expectEmit(address(usdc));
        emit UsdcStandIn.Mint(STRANGER, alice, 7);
        vm.prank(STRANGER);
        usdc.mint(alice, 7);
        vm.assertEq(usdc.balanceOf(alice), HOLDING + 7);
    }

    function testFuzz_admin_functionsRevert_forOthers(address caller) public {
        vm.assume(caller != ADMIN && caller != address(0xdead));
        bytes memory reason = _error("Ownable: caller is not the owner");
        vm.expectRevert(reason);
        vm.prank(caller);
        usdc.pause();
        vm.expectRevert(reason);
        vm.prank(caller);
        usdc.unpause();
        vm.expectRevert(reason);
        vm.prank(caller);
        usdc.blacklist(alice);
        vm.expectRevert(reason);
        vm.prank(caller);
        usdc.unBlacklist(alice);
        vm.expectRevert(reason);
        vm.prank(caller);
        usdc.setMinter(caller, true);
    }

    function test_initialize_reverts_whenAgain() public {
        vm.expectRevert(abi.encodeWithSignature("InvalidInitialization()"));
        usdc.initialize(STRANGER);
    }

    function test_proxy_refusesItsAdmin() public {
        vm.expectRevert(abi.encodeWithSelector(UsdcStandInProxy.AdminCannotCall.selector));
        vm.prank(address(0xdead));
        usdc.totalSupply();
    }
}
