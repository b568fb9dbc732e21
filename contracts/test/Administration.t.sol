// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {
    IAccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {EMoneyToken, FirstOperator, TokenSetup} from "../src/EMoneyToken.sol";
import {IEMoneyToken} from "../src/IEMoneyToken.sol";
import {Batches} from "./support/Batches.sol";
import {TokenTest} from "./support/TokenTest.sol";

contract EMoneyTokenV2 is EMoneyToken {
    function version() external pure returns (uint256) {
        return 2;
    }
}

contract AdministrationTest is TokenTest {
    address private constant STRANGER = address(0x5);

    function expectDenied(address account, bytes32 role) private {
        vm.expectRevert(abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, role));
        vm.prank(account);
    }

    /// @dev Every guarded function, called by `account`, must require its own role.
    function deniedEverything(address account, bytes32 except) private {
        address implementation = address(new EMoneyTokenV2());
        bytes[9] memory calls = [
            abi.encodeCall(token.issue, ("")),
            abi.encodeCall(token.redeem, ("")),
            abi.encodeCall(token.setMintAllowance, (account, 0, 1e16, 1e16)),
            abi.encodeCall(token.blockAccount, (alice)),
            abi.encodeCall(token.unblockAccount, (alice)),
            abi.encodeCall(token.pause, ()),
            abi.encodeCall(token.unpause, ()),
            abi.encodeCall(token.rescue, (address(token), account, 0)),
            abi.encodeCall(token.upgradeToAndCall, (implementation, ""))
        ];
        bytes32[9] memory roles = [
            token.OPERATOR_ROLE(), token.OPERATOR_ROLE(), token.ALLOWANCE_ROLE(), token.BLOCKER_ROLE(), token.UNBLOCKER_ROLE(), token.PAUSER_ROLE(),
            token.UNPAUSER_ROLE(), token.RESCUER_ROLE(), token.UPGRADER_ROLE()
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            if (roles[i] == except) continue;
            vm.prank(account);
            (bool success, bytes memory answer) = address(token).call(calls[i]);
            vm.assertFalse(success);
            vm.assertEq(
                keccak256(answer), keccak256(abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, roles[i]))
            );
        }
    }

    function deployReady(address timelock) private returns (EMoneyToken) {
        FirstOperator[] memory operators = new FirstOperator[](2);
        operators[0] = FirstOperator(operator, 500e18, 500e18);
        operators[1] = FirstOperator(bob, 0, 0);
        address[] memory blockers = new address[](1);
        blockers[0] = STRANGER;
        TokenSetup memory setup = TokenSetup("Mintrail Euro", "EURe", "EUR", admin, timelock, ADMIN_DELAY, SIGNATURE_GAS, operators, blockers);
        bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setup));
        return EMoneyToken(address(new ERC1967Proxy(address(new EMoneyToken()), data)));
    }

    function test_aTokenCanBeReadyFromItsFirstBlockOn() public {
        token = deployReady(address(0));
        vm.assertEq(token.mintAllowance(operator), 500e18);
        give(alice, 500e18);
        vm.assertEq(token.balanceOf(alice), 500e18);
        vm.assertTrue(token.hasRole(token.OPERATOR_ROLE(), bob));
        vm.prank(STRANGER);
        token.blockAccount(alice);
        vm.assertTrue(token.blocked(alice));
    }

    function test_whoDeploysAReadyTokenHoldsNoRole() public {
        token = deployReady(address(0));
        vm.assertEq(token.defaultAdmin(), admin);
        vm.assertFalse(token.hasRole(token.OPERATOR_ROLE(), admin));
        deniedEverything(address(this), 0);
        bytes32 role = token.OPERATOR_ROLE();
        expectDenied(address(this), token.DEFAULT_ADMIN_ROLE());
        token.grantRole(role, address(this));
    }

    function test_aReadyTokenCannotBeInitializedAgain() public {
        token = deployReady(address(0));
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        token.initialize(setupOf("EUR", STRANGER));
    }

    function test_aStrangerMayNothing() public {
        deniedEverything(STRANGER, 0);
    }

    function test_eachRoleMayOnlyItsOwn() public {
        bytes32[8] memory roles = [
            token.OPERATOR_ROLE(), token.ALLOWANCE_ROLE(), token.BLOCKER_ROLE(), token.UNBLOCKER_ROLE(), token.PAUSER_ROLE(), token.UNPAUSER_ROLE(),
            token.RESCUER_ROLE(), token.UPGRADER_ROLE()
        ];
        for (uint256 i = 0; i < roles.length; ++i) {
            address account = address(uint160(0x1000 + i));
            vm.prank(admin);
            token.grantRole(roles[i], account);
            deniedEverything(account, roles[i]);
        }
    }

    function test_theAdminDoesNotOperate() public {
        expectDenied(admin, token.OPERATOR_ROLE());
        token.issue("");
    }

    function test_theOperatorCannotRaiseItsAllowance() public {
        deniedEverything(operator, token.OPERATOR_ROLE());
    }

    function test_settingLimitsReplacesThem() public {
        give(alice, 1e18);
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.MintAllowanceSet(operator, 5e18, 3e18);
        vm.prank(admin);
        token.setMintAllowance(operator, 999_999e18, 5e18, 3e18);
        vm.assertEq(token.mintAllowance(operator), 5e18);
        vm.assertEq(token.dailyMintLimit(operator), 3e18);
        // One token was minted today.
        vm.assertEq(token.mintable(operator), 2e18);
    }

    function test_mintingJustBeforeALoweringGainsNothing() public {
        give(alice, 400e18);
        vm.prank(admin);
        token.setMintAllowance(operator, 1_000_000e18, 1_000e18, 1_000e18);
        vm.assertEq(token.mintAllowance(operator), 600e18);
        vm.prank(admin);
        token.setMintAllowance(operator, 1_000_000e18, 100e18, 1_000e18);
        vm.assertEq(token.mintAllowance(operator), 0);
    }

    function test_anAllowanceThatWasRaisedMeanwhileIsNotSet() public {
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceRaised.selector, operator, 1_000_000e18));
        vm.prank(admin);
        token.setMintAllowance(operator, 999_999e18, 5e18, 5e18);
    }

    function test_limitsAreWholeMinorUnitsOf80Bits() public {
        uint256[2] memory wrong = [uint256(1e16 + 1), 2 ** 80 * 1e16];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.InvalidMintLimit.selector, wrong[i]));
            vm.prank(admin);
            token.setMintAllowance(operator, 1_000_000e18, wrong[i], 0);
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.InvalidMintLimit.selector, wrong[i]));
            vm.prank(admin);
            token.setMintAllowance(operator, 1_000_000e18, 0, wrong[i]);
        }
    }

    function test_onlyAnOperatorGetsLimits() public {
        bytes32 role = token.OPERATOR_ROLE();
        vm.expectRevert(abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, STRANGER, role));
        vm.prank(admin);
        token.setMintAllowance(STRANGER, 0, 1e18, 1e18);
    }

    function test_limitsEndWithTheRole() public {
        bytes32 role = token.OPERATOR_ROLE();
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.MintAllowanceSet(operator, 0, 0);
        vm.prank(admin);
        token.revokeRole(role, operator);
        vm.prank(admin);
        token.grantRole(role, operator);
        vm.assertEq(token.mintAllowance(operator), 0);
        vm.assertEq(token.mintable(operator), 0);

        setAllowance(operator, 5e18, 5e18);
        vm.prank(operator);
        token.renounceRole(role, operator);
        vm.assertEq(token.mintAllowance(operator), 0);
    }

    function test_aTimelockHoldsUpgradesAndAllowancesAndTheAdminCannotPassItBy() public {
        address timelock = address(0x71);
        token = deployReady(timelock);
        bytes32[2] memory roles = [token.UPGRADER_ROLE(), token.ALLOWANCE_ROLE()];
        for (uint256 i = 0; i < 2; ++i) {
            vm.assertTrue(token.hasRole(roles[i], timelock));
            vm.assertFalse(token.hasRole(roles[i], admin));
            expectDenied(admin, token.UPGRADER_ROLE());
            token.grantRole(roles[i], admin);
        }
        expectDenied(admin, token.ALLOWANCE_ROLE());
        token.setMintAllowance(operator, 500e18, 501e18, 501e18);
        vm.prank(timelock);
        token.setMintAllowance(operator, 500e18, 501e18, 501e18);
        // Without the timelock, and at once.
        bytes32 role = token.OPERATOR_ROLE();
        vm.prank(admin);
        token.revokeRole(role, operator);
        vm.assertEq(token.mintAllowance(operator), 0);
    }

    function test_theGasOfSignaturesIsASettingWithinBounds() public {
        vm.assertEq(token.signatureGas(), 500_000);
        uint32[2] memory wrong = [uint32(49_999), 1_000_001];
        EMoneyToken implementation = new EMoneyToken();
        for (uint256 i = 0; i < 2; ++i) {
            TokenSetup memory setup = setupOf("EUR", admin);
            setup.signatureGas = wrong[i];
            bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setup));
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.InvalidSignatureGas.selector, wrong[i]));
            new ERC1967Proxy(address(implementation), data);
        }
    }

    function test_strayTokensAreRescued() public {
        EMoneyToken stray = deploy("USD");
        addOperator(stray);
        bytes memory batch = Batches.pack(issueItem(0, address(token), 5e18));
        vm.prank(operator);
        stray.issue(batch);
        vm.prank(admin);
        token.rescue(address(stray), alice, 5e18);
        vm.assertEq(stray.balanceOf(alice), 5e18);

        vm.expectRevert();
        vm.prank(admin);
        token.rescue(address(token), alice, 1);
    }

    function test_theDefaultAdminIsHandedOnInTwoStepsAfterADelay() public {
        vm.warp(2_000_000_000);
        vm.prank(admin);
        token.beginDefaultAdminTransfer(bob);
        vm.assertEq(token.defaultAdmin(), admin);

        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminDelay.selector, 2_000_000_000 + ADMIN_DELAY));
        vm.prank(bob);
        token.acceptDefaultAdminTransfer();

        vm.warp(2_000_000_001 + uint256(ADMIN_DELAY));
        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector, STRANGER));
        vm.prank(STRANGER);
        token.acceptDefaultAdminTransfer();
        vm.prank(bob);
        token.acceptDefaultAdminTransfer();
        vm.assertEq(token.defaultAdmin(), bob);
        vm.assertFalse(token.hasRole(bytes32(0), admin));
    }

    function test_handingOnTheAdminMovesAllItsRoles() public {
        vm.prank(admin);
        token.beginDefaultAdminTransfer(bob);
        vm.warp(block.timestamp + ADMIN_DELAY + 1);
        vm.prank(bob);
        token.acceptDefaultAdminTransfer();
        deniedEverything(admin, 0);
        bytes32[7] memory roles = [
            token.ALLOWANCE_ROLE(), token.BLOCKER_ROLE(), token.UNBLOCKER_ROLE(), token.PAUSER_ROLE(), token.UNPAUSER_ROLE(), token.RESCUER_ROLE(),
            token.UPGRADER_ROLE()
        ];
        for (uint256 i = 0; i < roles.length; ++i) vm.assertTrue(token.hasRole(roles[i], bob));
        vm.assertFalse(token.hasRole(token.OPERATOR_ROLE(), bob));
    }

    function test_handingTheAdminToItselfChangesNothing() public {
        bytes32 operatorRole = token.OPERATOR_ROLE();
        vm.prank(admin);
        token.grantRole(operatorRole, admin);
        setAllowance(admin, 5e18, 4e18);
        vm.prank(admin);
        token.beginDefaultAdminTransfer(admin);
        vm.warp(block.timestamp + ADMIN_DELAY + 1);
        vm.prank(admin);
        token.acceptDefaultAdminTransfer();
        vm.assertEq(token.defaultAdmin(), admin);
        vm.assertTrue(token.hasRole(token.UPGRADER_ROLE(), admin) && token.hasRole(token.PAUSER_ROLE(), admin));
        vm.assertEq(token.mintAllowance(admin), 5e18);
        vm.assertEq(token.dailyMintLimit(admin), 4e18);
    }

    function test_theDefaultAdminIsNotGrantedDirectly() public {
        vm.expectRevert(abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminRules.selector));
        vm.prank(admin);
        token.grantRole(bytes32(0), bob);
    }

    function test_isSetUpOnce() public {
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        token.initialize(setupOf("EUR", bob));
        EMoneyToken implementation = new EMoneyToken();
        vm.expectRevert(Initializable.InvalidInitialization.selector);
        implementation.initialize(setupOf("EUR", bob));
    }

    function test_aCurrencyIsThreeUpperCaseLetters() public {
        string[6] memory wrong = ["", "EU", "EURO", "eur", "E1R", unicode"€"];
        EMoneyToken implementation = new EMoneyToken();
        for (uint256 i = 0; i < wrong.length; ++i) {
            bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setupOf(wrong[i], admin)));
            vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.InvalidCurrency.selector, wrong[i]));
            new ERC1967Proxy(address(implementation), data);
        }
    }

    function test_anUpgradeKeepsEverything() public {
        give(alice, 100e18);
        give(bob, 1e18);
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10 to x at 2026-11-20T17:03Z"));
        vm.prank(alice);
        token.approve(bob, 7);
        vm.prank(admin);
        token.blockAccount(bob);
        vm.prank(admin);
        token.pause();

        address implementation = address(new EMoneyTokenV2());
        vm.prank(admin);
        token.upgradeToAndCall(implementation, "");

        vm.assertEq(EMoneyTokenV2(address(token)).version(), 2);
        vm.assertEq(token.name(), "Mintrail Euro");
        vm.assertEq(token.symbol(), "EURe");
        vm.assertEq(token.currency(), "EUR");
        vm.assertEq(token.balanceOf(alice), 90e18);
        vm.assertEq(token.balanceOf(bob), 1e18);
        vm.assertTrue(token.blocked(bob));
        vm.assertTrue(token.paused());
        vm.assertEq(token.totalSupply(), 91e18);
        vm.assertEq(token.allowance(alice, bob), 7);
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18 - 101e18);
        vm.assertTrue(token.sequenceUsed(0) && token.sequenceUsed(1));
        vm.assertFalse(token.sequenceUsed(2));
        vm.assertTrue(token.messageUsed(alice, hashOf("Send EUR 10 to x at 2026-11-20T17:03Z")));
        vm.assertEq(token.defaultAdmin(), admin);
        vm.assertTrue(token.hasRole(token.OPERATOR_ROLE(), operator));
    }

    function slot(bytes32 key, uint256 position) private pure returns (bytes32) {
        return keccak256(abi.encode(key, position));
    }

    function read(bytes32 position) private view returns (uint256) {
        return uint256(vm.load(address(token), position));
    }

    /// @dev The storage layout of deployed tokens. If this fails, an upgrade would misread their storage: only append to the structs.
    function test_storageLiesWhereDeployedTokensHaveIt() public {
        uint256 erc20 = uint256(keccak256(abi.encode(uint256(keccak256("mintrail.storage.BlockableERC20")) - 1)) & ~bytes32(uint256(0xff)));
        uint256 emoney = uint256(keccak256(abi.encode(uint256(keccak256("mintrail.storage.EMoneyToken")) - 1)) & ~bytes32(uint256(0xff)));
        vm.assertEq(erc20, 0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00);
        vm.assertEq(emoney, 0x4fd518f0c73cafe337b2fad2b4b50d0a2f88a8d007981d651734b73e9619b700);

        issue(issueItem(515, alice, 12e18));
        redeem(signedItem(ALICE_KEY, 2e18, "Send EUR 2 to x at 2026-11-20T17:03Z"));
        vm.prank(alice);
        token.approve(bob, 7);
        vm.prank(admin);
        token.blockAccount(alice);

        bytes32 aliceKey = bytes32(uint256(uint160(alice)));
        bytes32 bobKey = bytes32(uint256(uint160(bob)));
        bytes32 operatorKey = bytes32(uint256(uint160(operator)));
        vm.assertEq(read(slot(aliceKey, erc20)), (1 << 255) + (1 << 254) + 10e18);
        vm.assertEq(read(slot(bobKey, uint256(slot(aliceKey, erc20 + 1)))), 7);
        vm.assertEq(read(bytes32(erc20 + 2)), 10e18);
        vm.assertEq(read(bytes32(erc20 + 3)), uint256(bytes32("Mintrail Euro")) + 13 * 2);
        vm.assertEq(read(bytes32(erc20 + 4)), uint256(bytes32("EURe")) + 4 * 2);
        vm.assertEq(read(bytes32(emoney)), (500_000 << 24) + uint256(uint24(bytes3("EUR"))));
        vm.assertEq(read(slot(bytes32(uint256(2)), emoney + 1)), 1 << 3);
        vm.assertEq(read(slot(hashOf("Send EUR 2 to x at 2026-11-20T17:03Z"), uint256(slot(aliceKey, emoney + 2)))), 1);
        vm.assertEq(
            read(slot(operatorKey, emoney + 3)),
            (NOW / 1 days << 240) + (12_00 << 160) + (uint256(700_000_00) << 80) + (1_000_000_00 - 12_00)
        );
    }

    function test_authorizationsLieWhereDeployedTokensHaveThem() public {
        uint256 start = uint256(keccak256(abi.encode(uint256(keccak256("mintrail.storage.AuthorizedTransfers")) - 1)) & ~bytes32(uint256(0xff)));
        vm.assertEq(start, 0x3d68bac3e5154e65d2ef1d54f2fbef07d37492e5b8389186b6f7415f88736e00);
        bytes32 content = keccak256(abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), alice, keccak256("nonce")));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), content)));
        token.cancelAuthorization(alice, keccak256("nonce"), v, r, s);
        vm.assertEq(read(slot(keccak256("nonce"), uint256(slot(bytes32(uint256(uint160(alice))), start)))), 1);
    }
}
